import pg from 'pg'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { cloneDatabase } from '../../../../../testing/src/engines/test-database.ts'
import { startTcpProxy } from '../../../../../testing/src/network/tcp-proxy.ts'
import { send } from '../../../../../testing/src/network/wire.ts'
import {
  chorale,
  choraleJson,
  type Settings,
  settingsFor,
  startServing,
} from '../../../../../testing/src/processes/program.ts'
import { queues } from '../../queues.ts'
import { versionOfPackage } from '../../version.ts'
import type { Status } from './read-status.ts'
import { statusCommand } from './status.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 240_000 })
const wait = { timeout: 120_000 }

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const nats = stack.use(await startTcpProxy(inject('natsUrl')))
const database = stack.use(await cloneDatabase())
const settings = { ...settingsFor(database.url), NATS_URL: nats.url }
const serving = stack.use(await startServing(settings))

/** The command as the program runs it, in this process: to start one takes a second each time. */
async function status(given: Settings, ...args: readonly string[]) {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  try {
    const code = await statusCommand({ ...given })
      .parseAsync([...args], { from: 'user' })
      .then(
        () => 0,
        () => 1,
      )
    return { code, stdout: lines.join('\n') }
  } finally {
    log.mockRestore()
  }
}

async function readStatus() {
  const { code, stdout } = await status(settings, '--json')
  return { code, ...(JSON.parse(stdout) as Status) }
}

const checksOf = ({ problems }: Status) => problems.map(({ check }) => check)

test('an install that works is shown on one screen: engines, schema, its process and every queue', async () => {
  // The worker holds the leases of its listeners some moments after its start.
  await expect.poll(readStatus, wait).toMatchObject({ code: 0, ok: true, problems: [] })
  const found = await readStatus()
  expect(found).toMatchObject({
    version: versionOfPackage(),
    database: {
      version: expect.stringMatching(/^1\d\./),
      schema: expect.stringMatching(/^\d{4}-/),
      addresses: { '127.0.0.1': expect.any(Number) },
    },
    nats: { version: expect.stringMatching(/^2\./), deadLetters: 0 },
    outbox: { receipts: 0, events: 0, lagSeconds: 0 },
  })
  expect(found.nats?.consumers?.length).toBeGreaterThan(0)
  const [process, ...others] = found.processes ?? []
  expect(others).toEqual([])
  expect(process).toMatchObject({
    version: versionOfPackage(),
    parts: ['api', 'gateway', 'worker'],
    ready: true,
    degraded: false,
    failing: {},
    sockets: 0,
  })
  expect(process?.connections.open).toBeGreaterThan(0)
  expect(found.queues?.map(({ queue }) => queue)).toEqual(queues.map(({ name }) => name))

  const { code, stdout } = await status(settings)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^PostgreSQL {4}1\d\./m)
  expect(stdout).toContain(`${process?.pid}`)
  expect(stdout).toContain('Nothing is wrong.')
  const lines = stdout.trimEnd().split('\n')
  expect(lines.filter((line) => line.length > 120)).toEqual([])
  expect(lines.length).toBeLessThan(40)
})

test('the API tells operators the same over HTTP', async () => {
  const made = await choraleJson<{ key: string; secret: string }>(
    settings,
    ...['management-key', 'create', '--name', 'Status'],
  )
  const { key, secret } = made
  const host = 'apimgmt.localhost'
  const answer = await send(serving.origin, { path: '/status', headers: { host, key, secret } })
  expect(answer.status, answer.text).toBe(200)
  const { data } = JSON.parse(answer.text)
  const { ok, version, processes, queues, problems } = await readStatus()
  expect(data).toMatchObject({ ok, version, problems })
  expect(data.processes).toMatchObject([{ pid: processes?.[0]?.pid, ready: true, sockets: 0 }])
  expect(data.queues).toHaveLength(queues?.length ?? 0)
})

test('a queue that nobody claims from is named with its age, and the exit code is 1', async () => {
  const { appId } = await choraleJson<{ appId: string }>(
    settings,
    'app',
    'create',
    '--name',
    'Gone',
  )
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    // Who holds this lock claims: the worker is alive, and gets no job.
    await client.query(`select pg_advisory_lock(hashtextextended('claim erasures of apps', 0))`)
    await client.query('insert into app_erasures (app_id, due_at) values ($1, 1000)', [appId])
    const found = await readStatus()
    expect([found.code, checksOf(found)]).toEqual([1, ['queues']])
    const stuck = found.queues?.find(({ queue }) => queue === 'erasures of apps')
    expect(stuck).toMatchObject({ due: 1, later: 0, lateMs: expect.any(Number) })
    const { code, stdout, stderr } = await chorale(settings, 'status')
    expect([code, stderr]).toEqual([1, 'Problems: 1.\n'])
    expect(stdout).toMatch(
      /^warning +queues +Jobs are due and nobody claims them: erasures of apps \(1, /m,
    )
    expect(stdout).toMatch(/-> Start `chorale serve --parts worker`/)
    expect(stdout).toMatch(/erasures of apps +│ 1 +│ 0 +│ 0 +│ \d+ d/)
    // Before the lock is free: the worker would look for the job at its next poll only.
    await client.query('delete from app_erasures')
  } finally {
    await client.end()
  }
  expect(await readStatus()).toMatchObject({ code: 0, ok: true })
})

test('while NATS is away the rest is shown all the same, and PostgreSQL knows who is connected', async () => {
  await nats.close()
  const found = await readStatus()
  expect(found).toMatchObject({ code: 1, ok: false, nats: null, processes: null })
  expect(found.problems).toEqual([
    expect.objectContaining({ check: 'nats', level: 'failure', text: 'NATS does not answer.' }),
  ])
  expect(found.queues).toHaveLength(queues.length)
  expect(found.database?.addresses['127.0.0.1']).toBeGreaterThan(1)
  const { code, stdout } = await status(settings)
  expect(code).toBe(1)
  expect(stdout).toMatch(/^NATS {10}failed, see below$/m)
  expect(stdout).toContain('No process has answered.')
  await nats.open()
  await expect.poll(readStatus, wait).toMatchObject({ code: 0, ok: true })
})

test('a process that is gone is missed, part by part, and PostgreSQL away is said within seconds', async () => {
  serving.signal('SIGTERM')
  await serving.ended
  await using _api = await startServing(settings, '--parts', 'api')
  const found = await readStatus()
  expect(found.processes).toMatchObject([{ parts: ['api'], sockets: null }])
  expect(found.problems).toContainEqual(
    expect.objectContaining({ check: 'processes', text: 'No process runs: gateway, worker.' }),
  )
  await using away = await startTcpProxy(database.url)
  await away.close()
  const { code, stdout } = await status({ ...settings, DATABASE_URL: away.url })
  expect(code).toBe(1)
  expect(stdout).toMatch(/^PostgreSQL {4}failed, see below$/m)
  expect(stdout).toContain('Start it, or correct DATABASE_URL.')
  // The processes answer over NATS.
  expect(stdout).toContain('api')
})
