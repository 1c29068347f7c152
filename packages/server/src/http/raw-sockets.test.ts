import { connect, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { type RawShape, rawShapes } from '../../../testing/src/network/raw-sockets.ts'
import { send } from '../../../testing/src/network/wire.ts'
import { choraleJson, settingsFor, startServing } from '../../../testing/src/processes/program.ts'
import { type Random, seeded } from '../../../testing/src/seeded.ts'

// A process of its own: an error that nobody listens to ends it.
vi.setConfig({ testTimeout: 240_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)
const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
  settings,
  ...['app', 'create', '--name', 'Test'],
)
const serving = stack.use(await startServing({ ...settings, GATEWAY_HEARTBEAT_MS: '500' }))
const port = Number(new URL(serving.origin).port)
const keys = { appId, apikey: apiKeys.fullAccess }
const call = (path: string, body: object) =>
  send(serving.origin, { method: 'POST', path, headers: keys, body: JSON.stringify(body) })
await call('/v3/users', { uid: 'ada', name: 'Ada' })
const { text } = await call('/v3/users/ada/auth_tokens', {})
const { data } = JSON.parse(text) as { data: { authToken: string } }
const shapes = rawShapes({ appId, authToken: data.authToken })

type End = 'reset' | 'close' | 'half-close' | 'answered'
const ends: readonly End[] = ['reset', 'close', 'half-close', 'answered']
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

/** Sends all of it, or the beginning, at once or in two parts, and goes away. */
async function attack({ bytes }: RawShape, end: End, random: Random): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  // A reset that comes while the socket is ending fails, and then there is no `close`.
  const closed = new Promise((resolve) => socket.once('close', resolve).on('error', resolve))
  await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), closed])
  const whole = random.chance(0.5) ? bytes.length : random.below(bytes.length)
  const first = random.below(whole + 1)
  socket.write(bytes.subarray(0, first))
  if (random.chance(0.3)) await after(random.below(5))
  socket.write(bytes.subarray(first, whole))
  const answered = new Promise((resolve) => socket.once('data', resolve))
  if (end === 'answered') await Promise.race([answered, closed, after(50)])
  else if (random.chance(0.7)) await after(random.below(10))
  if (end === 'half-close') {
    socket.end()
    await Promise.race([closed, after(20)])
  }
  if (end === 'close') socket.destroy()
  else socket.resetAndDestroy()
  await closed
}

function errorsOf(output: string): string[] {
  return output.split('\n').filter((line) => /"level":(50|60)/.test(line) || line.includes('Error'))
}

test.for(ends)('C1: no client ends the process or makes it log an error (%s)', async (end) => {
  const random = seeded(`${seed} ${end}`)
  const endsAt = performance.now() + 4000
  let rounds = 0
  // At least once each, then as often as there is time.
  while (rounds === 0 || performance.now() < endsAt) {
    await Promise.all(shapes.map((shape) => attack(shape, end, random)))
    rounds++
    const health = await send(serving.origin, { path: '/docs/start.js', deadlineMs: 60_000 })
    expect(health.status, `seed ${seed}, round ${rounds}`).toBe(200)
  }
  expect(errorsOf(serving.output()), `seed ${seed}`).toEqual([])
})

test('C1: an event stream may be cut at every byte of what it sends', async () => {
  const [stream] = shapes.filter(({ name }) => name === 'an event stream')
  if (!stream) throw new Error('There is no such shape.')
  const readSome = async (socket: Socket, wanted: number) => {
    let bytes = 0
    for await (const chunk of socket) {
      bytes += chunk.length
      if (bytes >= wanted) return
    }
  }
  await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.write(stream.bytes)
      // There may be less to read than that, and a reader is told that it ended too early.
      socket.setTimeout(1000, () => socket.destroy())
      await readSome(socket, n * 5).catch(() => undefined)
      socket.resetAndDestroy()
    }),
  )
  expect((await send(serving.origin, { path: '/docs/start.js' })).status).toBe(200)
  expect(errorsOf(serving.output())).toEqual([])
})

test('C1: after all this it is the same process, and it works', async () => {
  expect((await call('/v3/users', { uid: 'grace', name: 'Grace' })).status).toBe(200)
  expect(await Promise.race([serving.ended, 'running'])).toBe('running')
})
