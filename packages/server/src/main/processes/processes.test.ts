import { Agent, get } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import {
  choraleJson,
  settingsFor,
  startServing,
} from '../../../../testing/src/processes/program.ts'
import { connectDevice } from '../../../../testing/src/service/device.ts'
import { startSteadyLoad } from '../../../../testing/src/steady-load.ts'

// Processes take their time to start, and one of these tests starts six.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const wait = { timeout: 240_000, interval: 100 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)
const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
  settings,
  ...['app', 'create', '--name', 'Test'],
)
const headers = { appId, apikey: apiKeys.fullAccess, 'content-type': 'application/json' }
const serving = stack.use(await startServing(settings, '--processes', '2'))
await serving.said('all processes have started')

/** Of those that have started so far, oldest first. */
const pids = () =>
  [...serving.output().matchAll(/"pid":(\d+),"msg":"a process has started"/g)].map(([, pid]) =>
    Number(pid),
  )
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const page = async () => (await send(serving.operationsOrigin, { path: '/metrics' })).text

async function readiness() {
  const { status, text } = await send(serving.operationsOrigin, { path: '/readyz' })
  return { status, ...JSON.parse(text) }
}

/** Lists users; the status, or what went wrong. */
function call(agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const request = get(`${serving.origin}/v3/users`, { agent, headers }, (response) => {
      response
        .on('end', () => resolve(response.statusCode ?? 0))
        .on('error', (e) => resolve(`${e}`))
      response.resume()
    })
    request.on('error', (error) => resolve(String(error)))
  })
}

/** Callers that keep their connections, and callers that make a new one for each call. */
function startLoad() {
  const kept = new Agent({ keepAlive: true, maxSockets: 4 })
  const fresh = new Agent({ keepAlive: false })
  return startSteadyLoad(8, async (number) => {
    const outcome = await call(number % 2 === 0 ? kept : fresh)
    // Below the budget of the app.
    await after(20)
    return outcome === 200 ? undefined : String(outcome)
  })
}

test('the pages of operations speak for all processes', async () => {
  await expect
    .poll(readiness, wait)
    .toMatchObject({ status: 200, ready: true, degraded: false, processes: 'ok', consumers: 'ok' })
  const agent = new Agent({ keepAlive: false })
  for (let n = 0; n < 20; n++) expect(await call(agent)).toBe(200)
  // In turns: each process has answered ten.
  await expect.poll(page, wait).toContain('{operation="listUsers",status="200"} 20\n')
  expect(await page()).toContain('\nchorale_nats_connected 1\n')
  expect(await page()).toContain('\nchorale_processes 2\n')
})

test('a process that is killed comes back, and calls are answered meanwhile', async () => {
  const [victim = 0] = pids()
  process.kill(victim, 'SIGKILL')
  await serving.said('"signal":"SIGKILL","againInMs":200,"msg":"a process has ended"')
  await expect.poll(readiness, wait).toMatchObject({ ready: true, degraded: true })
  const agent = new Agent({ keepAlive: false })
  for (let n = 0; n < 20; n++) expect(await call(agent)).toBe(200)
  await expect.poll(pids, wait).toHaveLength(3)
  await expect.poll(readiness, wait).toMatchObject({ ready: true, degraded: false })
})

test('SIGHUP: every process is replaced, no call fails, and devices connect anew at once', async () => {
  const post = (path: string, body: object) =>
    send(serving.origin, { method: 'POST', path, headers, body: JSON.stringify(body) })
  const { text } = await post('/v3/users', { uid: 'ann', name: 'Ann', withAuthToken: true })
  const { authToken } = JSON.parse(text).data
  const device = { origin: serving.origin, appId, authToken }
  const goodbyes: Promise<number>[] = []
  for (let n = 0; n < 4; n++) {
    const connected = await connectDevice(device)
    await connected.next('welcome')
    // On a busy machine the replacement takes longer than a device may be silent.
    const timer = setInterval(() => connected.send({ type: 'ping' }), 5000)
    goodbyes.push(connected.closed.finally(() => clearInterval(timer)))
  }
  const before = pids().slice(-2)
  await using load = startLoad()
  serving.signal('SIGHUP')
  expect(await Promise.all(goodbyes)).toEqual([4000, 4000, 4000, 4000])
  await using again = await connectDevice(device)
  await again.next('welcome')
  await serving.said('all processes are replaced')
  await load.stop()
  expect(load.failures).toEqual([])
  expect(load.answered()).toBeGreaterThan(100)
  expect(pids()).toHaveLength(5)
  expect(before.filter(isAlive)).toEqual([])
  await expect.poll(readiness, wait).toMatchObject({ ready: true, degraded: false })
})

test('SIGTERM: all processes finish what they accepted and end, and the exit code is 0', async () => {
  const running = pids().slice(-2)
  expect(running.filter(isAlive)).toHaveLength(2)
  serving.signal('SIGTERM')
  expect(await serving.ended).toBe(0)
  expect(running.filter(isAlive)).toEqual([])
  expect(serving.output()).not.toContain('did not finish within')
})

test('a process that cannot start at all ends the command, which says why', async () => {
  const nowhere = { ...settings, DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' }
  await expect(startServing(nowhere, '--processes', '2')).rejects.toThrow(
    'The database does not answer',
  )
})
