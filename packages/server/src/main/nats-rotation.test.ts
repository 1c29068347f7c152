import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { startNatsServer } from '../../../testing/src/engines/nats-server.ts'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { send } from '../../../testing/src/network/wire.ts'
import { choraleJson, settingsFor, startServing } from '../../../testing/src/processes/program.ts'
import { startSteadyLoad } from '../../../testing/src/steady-load.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 180_000 })

const user = (name: string) => `{ user: ${name}, password: "${name}-s3cret" }`
const authorization = (...names: readonly string[]) =>
  `authorization { users: [${names.map(user).join(', ')}] }`

test('H2: credentials of NATS are changed under load, and no request fails', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-rotation-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(folder, { recursive: true }))
  const files = {
    NATS_USER_FILE: join(folder, 'user'),
    NATS_PASSWORD_FILE: join(folder, 'password'),
  }
  const use = (name: string) => {
    writeFileSync(files.NATS_USER_FILE, name)
    writeFileSync(files.NATS_PASSWORD_FILE, `${name}-s3cret`)
  }
  const nats = stack.use(await startNatsServer(authorization('old')))
  use('old')
  const database = stack.use(await cloneDatabase())
  const settings = { ...settingsFor(database.url), ...files, NATS_URL: nats.url }
  const { appId, apiKeys } = await choraleJson<{
    appId: string
    apiKeys: { fullAccess: string }
  }>(settings, 'app', 'create', '--name', 'Test')
  const serving = stack.use(await startServing(settings))
  const call = (path: string, body?: object) =>
    send(serving.origin, {
      method: body ? 'POST' : 'GET',
      path,
      headers: { appId, apikey: apiKeys.fullAccess },
      body: body && JSON.stringify(body),
      deadlineMs: 60_000,
    })
  const ready = async () =>
    (await send(serving.operationsOrigin, { path: '/readyz', deadlineMs: 60_000 })).status
  const wait = { timeout: 60_000 }
  await expect.poll(ready, wait).toBe(200)

  const load = stack.use(
    startSteadyLoad(4, async (number) => {
      const { status, text } = await call('/v3/users', { uid: `u${number}`, name: 'U' })
      return status === 200 ? undefined : `${status} ${text}`
    }),
  )
  const more = async (count: number) => {
    const enough = load.answered() + load.failures.length + count
    await expect.poll(() => load.answered() + load.failures.length, wait).toBeGreaterThan(enough)
  }
  await more(20)
  await nats.reload(authorization('old', 'new'))
  use('new')
  await nats.reload(authorization('new'))
  await serving.said('NATS is away')
  await serving.said('NATS is back')
  await more(20)
  await load.stop()
  expect(load.failures).toEqual([])
  await expect.poll(ready, wait).toBe(200)

  // All that was said is with NATS, which knows the new user only.
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  stack.defer(() => client.end())
  const waiting = async () => (await client.query('select from outbox')).rowCount
  await expect.poll(waiting, wait).toBe(0)
})
