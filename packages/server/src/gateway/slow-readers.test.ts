import { closeCodes } from '@chorale/contract/frames'
import { afterAll, expect, test } from 'vitest'
import { send } from '../../../testing/src/network/wire.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture({ GATEWAY_QUEUE_BYTES: '65536' })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, device, sayIn } = fixture

async function closedAsTooSlow(): Promise<number> {
  const { text } = await send(app.operationsOrigin, { path: '/metrics' })
  return Number(/^chorale_gateway_closed_total{reason="tooSlow"} (\d+)$/m.exec(text)?.[1] ?? 0)
}

test('a reader that is too slow is closed, holds up nobody, and resumes without a gap', async () => {
  await app.given.users('ann', 'bob', 'cid')
  await app.given.group('loud', { owner: 'ann', members: { participants: ['bob', 'cid'] } })
  const [slow, quick] = [await device('bob'), await device('cid')]
  slow.ws.pause()
  const long = 'x'.repeat(9000)
  let sent = 0
  while ((await closedAsTooSlow()) === 0) {
    expect(sent).toBeLessThan(4000)
    await Promise.all(Array.from({ length: 20 }, () => sayIn('loud', 'ann', long)))
    sent += 20
  }
  await expect.poll(() => quick.of('message').length).toBe(sent)
  slow.ws.resume()
  expect(await slow.closed).toBe(closeCodes.tooSlow)
  const positions = slow.positions()
  const [before = { seq: 0 }] = Object.values(positions)
  const again = await device('bob', { positions })
  const head = { seq: sent + 2, change: 0 }
  if (head.seq - before.seq > 500) {
    expect(await again.next('reload')).toMatchObject({ position: head })
  } else {
    await expect.poll(() => again.of('message').at(-1)?.seq, { timeout: 15_000 }).toBe(head.seq)
    expect(again.of('message')[0]?.seq).toBe(before.seq + 1)
    expect(again.of('message')).toHaveLength(head.seq - before.seq)
  }
})
