import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { LiveSends } from '../../../testing/src/move/live-sends.ts'
import { type MovingProcess, startMoving } from '../../../testing/src/move/moving-process.ts'
import { choraleJson, commandLine } from '../../../testing/src/processes/program.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const old = stack.use(await startRealtimeFixture())
const fresh = stack.use(await startRealtimeFixture())
const { appId, keys } = old.app
await choraleJson(
  fresh.settings,
  ...['app', 'create', '--name', 'Moved', '--app-id', appId],
  ...['--api-key', keys.full, '--auth-only-key', keys.auth],
)

const folder = mkdtempSync(join(tmpdir(), 'chorale-hand-over-'))
const switched = join(folder, 'switched')
const move = (...args: readonly string[]) =>
  startMoving(
    [
      ...args,
      ...['--from-url', `${old.app.origin}/v3`, '--from-app', appId],
      ...['--to-url', `${fresh.app.origin}/v3`, '--to-app', appId],
      ...['--state', join(folder, 'state.json'), '--json'],
    ],
    { from: keys.full, to: keys.full },
  )
const printed = async ({ ended }: MovingProcess) => {
  const { stdout, stderr } = await ended
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}
const commands = {
  hold: commandLine(old.settings, 'app', 'hold', appId),
  release: commandLine(old.settings, 'app', 'release', appId),
}
const handOver = (switchOver: string, { hold, release } = commands) =>
  move('hand-over', '--hold', hold, '--release', release, '--switch', switchOver)

test('an app is handed over while it is written to; if the switch fails, the old side goes on', async () => {
  const [ann, ben] = ['ann', 'ben']
  await old.app.given.users(ann, ben)
  const tea = { guid: 'tea', name: 'Tea', type: 'public', owner: ann } as const
  await old.full.createGroup({ body: tea })
  await old.full.addMembers({ params: { guid: 'tea' }, body: { participants: [ben] } })
  const sends = new LiveSends({
    origin: () => (existsSync(switched) ? fresh : old).app.origin,
    appId,
    apiKey: keys.full,
    perSecond: 20,
    talk: (nth) => ({ sender: nth % 2 === 0 ? ann : ben, receiver: 'tea' }),
  })
  await expect.poll(() => sends.acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(10)
  await printed(move('run'))

  const failed = await handOver('false').ended
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringContaining('--switch ended with 1.'),
  ])
  const stuck = await handOver('true', { hold: 'exit 3', release: 'exit 4' }).ended
  expect(stuck.stderr).toContain(
    'The command of --hold ended with 3. The command of --release ended with 4. Release the old side',
  )
  const before = sends.acknowledged.length
  await expect
    .poll(() => sends.acknowledged.length, { timeout: 20_000 })
    .toBeGreaterThan(before + 20)

  const { heldMs, left } = await printed(handOver(`touch ${switched}`))
  expect([left, heldMs > 0]).toEqual([[], true])
  await expect.poll(() => sends.acknowledged.at(-1)?.muid, { timeout: 20_000 }).toBeDefined()
  const atSwitch = sends.acknowledged.length
  await expect
    .poll(() => sends.acknowledged.length, { timeout: 20_000 })
    .toBeGreaterThan(atSwitch + 20)
  await sends.stop()

  expect([...sends.failures]).toEqual([])
  expect(sends.refusedAt.length).toBeGreaterThan(0)
  const idsAt = async (origin: string) => {
    const headers = { appId, apikey: keys.full, onBehalfOf: ann }
    const path = '/v3/groups/tea/messages?limit=1000&category=message&affix=append'
    const found: { muid: string; id: string }[] = []
    for (;;) {
      const page = await fetch(`${origin}${path}&id=${found.at(-1)?.id ?? 1}`, { headers })
      const { data } = await page.json()
      if (data.length === 0) return found.map(({ muid, id }) => `${muid} ${id}`)
      found.push(...data)
    }
  }
  const [there, here] = [await idsAt(old.app.origin), await idsAt(fresh.app.origin)]
  // All of the old side, in its order, then what was written here; each message once.
  expect(here.slice(0, there.length)).toEqual(there)
  expect(here.length).toBeGreaterThan(there.length)
  expect(here.toSorted()).toEqual(
    sends.acknowledged.map(({ muid, id }) => `${muid} ${id}`).toSorted(),
  )
}, 180_000)
