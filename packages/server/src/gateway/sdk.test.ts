import { connect } from '@chorale/sdk'
import { afterAll, expect, test } from 'vitest'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const { app, say, tokenOf } = fixture

async function session(uid: string, origin = app.origin) {
  const made = connect({
    url: new URL('/v3/realtime', origin.replace('http', 'ws')).href,
    appId: app.appId,
    authToken: await tokenOf(uid),
    backoff: { baseMs: 20, maxMs: 200 },
  })
  stack.defer(() => made.close())
  const texts: unknown[] = []
  made.on('message', ({ message }) => texts.push('text' in message.data && message.data.text))
  await made.user
  return { ...made, texts }
}

test('two sessions of the SDK talk, and one of them loses its connection now and then', async () => {
  await app.given.users('ann', 'bob')
  await say('ann', 'bob', 'hello')
  const network = stack.use(await startTcpProxy(app.origin))
  const [ann, bob] = [await session('ann'), await session('bob', network.url)]
  const sent = Array.from({ length: 60 }, (_, n) => `${n}`)
  for (const [n, text] of sent.entries()) {
    if (n % 20 === 10) await network.close()
    if (n % 20 === 15) await network.open()
    const from = n % 2 === 0 ? ann : bob
    const { stored } = from.send({
      receiver: n % 2 === 0 ? 'bob' : 'ann',
      receiverType: 'user',
      category: 'message',
      type: 'text',
      data: { text },
    })
    if (from === ann) await stored
    else stored.catch(() => undefined)
  }
  await expect.poll(() => ann.texts.length, { timeout: 15_000 }).toBe(sent.length)
  await expect.poll(() => bob.texts.length, { timeout: 15_000 }).toBe(sent.length)
  expect(bob.texts).toEqual(ann.texts)
  expect(ann.texts.toSorted()).toEqual(sent.toSorted())
})
