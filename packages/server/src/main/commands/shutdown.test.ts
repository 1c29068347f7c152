import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../testing/src/engines/test-database.ts'
import { send } from '../../../../testing/src/network/wire.ts'
import {
  choraleJson,
  failing,
  type Serving,
  settingsFor,
  startServing,
} from '../../../../testing/src/processes/program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const settings = settingsFor(stack.use(await cloneDatabase()).url)
const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
  settings,
  ...['app', 'create', '--name', 'Test'],
)
const many = 50
const wait = { timeout: 30_000, interval: 20 }

interface Sent {
  /** When the last byte was handed to the machine. */
  readonly written: Promise<void>
  /** The status; rejects when the connection was reset. */
  readonly status: Promise<number>
}

function createUser({ origin }: Serving, uid: string, agent: Agent): Sent {
  const body = JSON.stringify({ uid, name: uid })
  const call = request(`${origin}/v3/users`, {
    method: 'POST',
    agent,
    headers: { appId, apikey: apiKeys.fullAccess, 'content-type': 'application/json' },
  })
  const written = new Promise<void>((resolve) => call.on('finish', resolve))
  const status = new Promise<number>((resolve, reject) => {
    call.on('error', reject)
    call.on('response', (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0))
      response.resume()
    })
  })
  // Whoever waits for it sees the failure; a test that has failed already does not wait.
  status.catch(() => undefined)
  call.end(body)
  return { written, status }
}

const createUsers = (serving: Serving, prefix: string, agent: Agent) =>
  Array.from({ length: many }, (_, n) => createUser(serving, `${prefix}-${n}`, agent))

const allCreated = Array.from({ length: many }, () => 200)

function refusesConnections({ origin }: Serving): Promise<boolean> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) })
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })
}

test('SIGTERM: what waits inside is finished, nobody new comes in, the process ends well', async () => {
  await using serving = await startServing(settings)
  using agent = closing(new Agent({ keepAlive: true }))
  const before = createUsers(serving, 'before', agent.agent)
  expect(await Promise.all(before.map(({ status }) => status))).toEqual(allCreated)
  await using gate = await closeGate()
  const sent = createUsers(serving, 'inside', agent.agent)
  // Eight of ten connections are for an app that is alone; that the others wait proves that all came in.
  await expect
    .poll(() => connections(serving), wait)
    .toContain(`{pool="foreground",state="waiting"} ${many - 8}\n`)
  serving.signal('SIGTERM')
  await serving.said('stopping')
  await expect.poll(() => refusesConnections(serving), wait).toBe(true)
  await gate.open()
  expect(await Promise.all(sent.map(({ status }) => status))).toEqual(allCreated)
  expect(await serving.ended).toBe(0)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: what was sent before on kept connections is answered, none is reset',
  async (signal) => {
    await using serving = await startServing(settings)
    using agent = closing(new Agent({ keepAlive: true }))
    const first = createUsers(serving, `first-${signal.toLowerCase()}`, agent.agent)
    expect(await Promise.all(first.map(({ status }) => status))).toEqual(allCreated)
    const second = createUsers(serving, `second-${signal.toLowerCase()}`, agent.agent)
    await Promise.all(second.map(({ written }) => written))
    serving.signal(signal)
    expect(await Promise.all(second.map(({ status }) => status))).toEqual(allCreated)
    expect(await serving.ended).toBe(0)
  },
)

test('SIGTERM: what was sent before on new connections is answered, none is reset', async () => {
  await using serving = await startServing(settings)
  using agent = closing(new Agent({ keepAlive: false }))
  const sent = createUsers(serving, 'fresh', agent.agent)
  await Promise.all(sent.map(({ written }) => written))
  serving.signal('SIGTERM')
  expect(await Promise.all(sent.map(({ status }) => status))).toEqual(allCreated)
  expect(await serving.ended).toBe(0)
})

test('SIGTERM: a client that keeps an idle connection does not hold up the end', async () => {
  await using serving = await startServing(settings)
  using agent = closing(new Agent({ keepAlive: true }))
  expect(await createUser(serving, 'idle', agent.agent).status).toBe(200)
  serving.signal('SIGTERM')
  expect(await serving.ended).toBe(0)
})

test('work that does not end in time is given up, and the exit code says so', async () => {
  await using serving = await startServing({ ...settings, SHUTDOWN_TIMEOUT_MS: '200' })
  using agent = closing(new Agent({ keepAlive: true }))
  await using gate = await closeGate()
  const { status } = createUser(serving, 'stuck', agent.agent)
  await expect.poll(gate.waiting, wait).toBe(1)
  serving.signal('SIGTERM')
  expect(await serving.ended).toBe(1)
  await expect(status).rejects.toThrow()
  expect(serving.output()).toContain('did not finish within')
})

test('C1: an error that nobody handled is logged with the calls under way, which are finished', async () => {
  const failure = failing("setTimeout(() => { throw new Error('planted') })")
  await using serving = await startServing({ ...settings, ...failure })
  using agent = closing(new Agent({ keepAlive: true }))
  await using gate = await closeGate()
  const { status } = createUser(serving, 'witness', agent.agent)
  await expect.poll(gate.waiting, wait).toBe(1)
  serving.signal('SIGUSR2')
  await serving.said(`"calls":[{"operation":"createUser","requestId":`)
  await gate.open()
  expect(await status).toBe(200)
  expect(await serving.ended).toBe(1)
})

/** Holds what creating a user waits for, until it is opened. */
async function closeGate() {
  const holder = new pg.Client({ connectionString: settings.DATABASE_URL })
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from roles for update')
  return {
    open: () => holder.query('commit'),
    /** How many statements wait for it. */
    async waiting() {
      // Within a transaction the first look is remembered.
      await holder.query('select pg_stat_clear_snapshot()')
      const { rowCount } = await holder.query(`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
      return rowCount
    },
    [Symbol.asyncDispose]: () => holder.end(),
  }
}

async function connections({ operationsOrigin }: Serving): Promise<string> {
  const { text } = await send(operationsOrigin, { path: '/metrics' })
  const lines = text.split('\n').filter((line) => line.startsWith('chorale_database_connections'))
  return `${lines.join('\n')}\n`
}

function closing(agent: Agent) {
  return { agent, [Symbol.dispose]: () => agent.destroy() }
}
