import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import {
  cloneDatabase,
  createEmptyDatabase,
} from '../../../../testing/src/engines/test-database.ts'
import { startTcpProxy } from '../../../../testing/src/network/tcp-proxy.ts'
import { chorale, type Settings, settingsFor } from '../../../../testing/src/processes/program.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await cloneDatabase())
const right = settingsFor(database.url)

/** Ends at once, with a sentence for the operator and nothing else. */
async function refusal(settings: Settings, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await chorale(settings, ...args)
  expect([code, stdout], stderr).toEqual([1, ''])
  expect(stderr).not.toMatch(/^\s+at |node:internal|Error:/m)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  return stderr
}

/** Where nobody listens: a proxy that was closed again. */
async function nowhere(url: string): Promise<string> {
  await using proxy = await startTcpProxy(url)
  return proxy.url
}

test('without a master key it says how to make one', async () => {
  const { CHORALE_MASTER_KEY: _, ...settings } = right
  const short = { ...right, CHORALE_MASTER_KEY: 'c2hvcnQ=' }
  const unreadable = { ...settings, CHORALE_MASTER_KEY_FILE: '/nothing/here' }
  const [serve, list, tooShort, notThere] = await Promise.all([
    refusal(settings, 'serve'),
    refusal(settings, 'app', 'list'),
    refusal(short, 'serve'),
    refusal(unreadable, 'serve'),
  ])
  expect(serve).toMatch(/CHORALE_MASTER_KEY.*openssl rand -base64 32/)
  expect(list).toBe(serve)
  expect(tooShort).toContain('not 32 bytes')
  expect(notThere).toContain('/nothing/here')
})

test('a setting that cannot be read is named', async () => {
  const [text, number, level] = await Promise.all([
    refusal({ ...right, PORT: 'abc' }, 'serve'),
    refusal({ ...right, PORT: '70000' }, 'serve'),
    refusal({ ...right, LOG_LEVEL: 'loud' }, 'serve'),
  ])
  expect(text).toContain('PORT must be integer')
  expect(number).toContain('PORT must be <= 65535')
  expect(level).toContain('LOG_LEVEL')
})

test('a database that is away, or is not one, is told apart from a bug', async () => {
  const away = { ...right, DATABASE_URL: await nowhere(database.url) }
  const missing = new URL(database.url)
  missing.pathname = '/chorale_nothing_here'
  const [serve, list, migrate, absent, nonsense] = await Promise.all([
    refusal(away, 'serve'),
    refusal(away, 'app', 'list'),
    refusal(away, 'migrate'),
    refusal({ ...right, DATABASE_URL: missing.href }, 'serve'),
    refusal({ ...right, DATABASE_URL: 'postgres://[' }, 'serve'),
  ])
  for (const text of [serve, list, migrate]) {
    expect(text).toMatch(/The database does not answer.*DATABASE_URL/)
  }
  expect(absent).toMatch(/does not exist.*chorale migrate/)
  expect(nonsense).toContain('DATABASE_URL')
})

test('a database that was never migrated asks for it', async () => {
  await using empty = await createEmptyDatabase()
  const settings = { ...right, DATABASE_URL: empty.url }
  expect(await refusal(settings, 'serve')).toMatch(/0001-install.*chorale migrate/)
  expect(await refusal(settings, 'app', 'list')).toContain('chorale migrate')
})

test('a database that is behind this release asks for it, and names what is missing', async () => {
  await using behind = await cloneDatabase()
  const client = new pg.Client({ connectionString: behind.url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    'delete from migrations where name = (select max(name) from migrations) returning name',
  )
  await client.end()
  const text = await refusal({ ...right, DATABASE_URL: behind.url }, 'serve')
  expect(text).toContain(rows[0]?.name)
  expect(text).not.toContain('0001-install')
  expect(text).toContain('chorale migrate')
})

test('a database of a later release is refused, by name', async () => {
  await using later = await cloneDatabase()
  const client = new pg.Client({ connectionString: later.url })
  await client.connect()
  await client.query(`insert into migrations (name, checksum) values ('9999-later', 'x')`)
  await client.end()
  const settings = { ...right, DATABASE_URL: later.url }
  expect(await refusal(settings, 'serve')).toMatch(/9999-later.*DATABASE_LATER_SCHEMA/)
  expect(await refusal(settings, 'migrate')).toMatch(/9999-later.*start that release/)
})

test('a port that is taken is named as the reason', async () => {
  await using taken = await startTcpProxy(database.url)
  // The operations listener is open by then, and has said so.
  const { code, stderr } = await chorale(right, 'serve', '--port', new URL(taken.url).port)
  expect(code).toBe(1)
  expect(stderr).toContain('port is taken')
})
