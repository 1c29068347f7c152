import pg from 'pg'
import { afterAll, expect, test, vi } from 'vitest'
import { startReplicatedPostgres } from '../../../testing/src/engines/replicated-postgres.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { send } from '../../../testing/src/network/wire.ts'
import {
  chorale,
  choraleJson,
  settingsFor,
  startServing,
} from '../../../testing/src/processes/program.ts'

// Two servers and a process start.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const wait = { timeout: 60_000, interval: 100 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const servers = stack.use(await startReplicatedPostgres())
const proxy = stack.use(await startTcpProxy(servers.primaryUrl))
const both = `postgres://postgres@${[servers.standbyUrl, proxy.url].map((url) => new URL(url).host).join()}/postgres`
const settings = settingsFor(both)
await choraleJson(settings, 'migrate', '--json')

const primary = new pg.Client({ connectionString: servers.primaryUrl })
await primary.connect()
stack.defer(() => primary.end())

async function waitForStandby(waits: boolean): Promise<void> {
  const change = waits ? `set synchronous_standby_names = '*'` : 'reset synchronous_standby_names'
  await primary.query(`alter system ${change}`)
  await primary.query('select pg_reload_conf()')
}

test('a standby is not used: migrations and the doctor say so', async () => {
  const onStandby = { ...settings, DATABASE_URL: servers.standbyUrl }
  const migrated = await chorale(onStandby, 'migrate')
  expect(migrated).toMatchObject({ code: 1, stderr: expect.stringContaining('is a standby') })
  const examined = await chorale(onStandby, 'doctor')
  expect(examined.stdout).toContain('The database is a standby.')
})

test('the doctor says whether a commit waits for the standby', async () => {
  const examine = async (given = settings) => {
    const { stdout } = await chorale(given, 'doctor')
    return stdout.split('\n').find((line) => line.includes(' durability '))
  }
  expect(await examine()).toMatch(/^warning .* does not wait for a standby \(connected: 1\)/)
  expect(await examine({ ...settings, DATABASE_STANDBY: 'required' })).toMatch(
    /^failure .* Calls are answered 503/,
  )
  await waitForStandby(true)
  await expect
    .poll(() => examine(), wait)
    .toMatch(/^ok .* waits for the disk and for a standby; connected: 1/)
  await waitForStandby(false)
})

test('where a standby is required, nothing is answered while no commit waits for one', async () => {
  const required = { ...settings, DATABASE_STANDBY: 'required' }
  await expect(startServing(required)).rejects.toThrow('No commit waits for a standby')
  await waitForStandby(true)
  await using serving = await startServing(required)
  const ask = async () => {
    const path = '/v3/users'
    const { status, headers } = await send(serving.origin, { path, headers: { appId: 'nobody' } })
    const { status: ready } = await send(serving.operationsOrigin, { path: '/readyz' })
    return [status, headers['retry-after'], ready]
  }
  expect(await ask()).toEqual([401, undefined, 200])
  await waitForStandby(false)
  await expect.poll(ask, wait).toEqual([503, '1', 503])
  await waitForStandby(true)
  await expect.poll(ask, wait).toEqual([401, undefined, 200])
  await waitForStandby(false)
})

test('of several servers the primary is used, and the one that is promoted after it', async () => {
  const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    settings,
    ...['app', 'create', '--name', 'Test'],
  )
  const serving = stack.use(await startServing(settings))
  const headers = { appId, apikey: apiKeys.fullAccess, 'content-type': 'application/json' }
  const create = (uid: string) =>
    send(serving.origin, {
      method: 'POST',
      path: '/v3/users',
      headers,
      body: JSON.stringify({ uid, name: uid }),
    })
  expect((await create('ann')).status).toBe(200)

  await proxy.close()
  // The standby has ann by now, or nearly; neither is shown by a server that may be behind.
  const { status, headers: told } = await send(serving.origin, { path: '/v3/users', headers })
  expect([status, told['retry-after']]).toEqual([503, '1'])

  await servers.promote()
  await expect.poll(async () => (await create('bob')).status, wait).toBe(200)
  const { text } = await send(serving.origin, { path: '/v3/users', headers })
  expect(
    JSON.parse(text)
      .data.map(({ uid }: { uid: string }) => uid)
      .sort(),
  ).toEqual(['ann', 'bob'])
})
