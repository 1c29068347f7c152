import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect } from 'vitest'
import { placeIn, sealedColumns } from '../../../server/src/vault/sealed-columns.ts'
import { openVault } from '../../../server/src/vault/vault.ts'
import { cloneDatabase } from '../engines/test-database.ts'
import { send } from '../network/wire.ts'
import {
  choraleJson,
  type Serving,
  type Settings,
  settingsFor,
  startServing,
} from '../processes/program.ts'
import { startSteadyLoad } from '../steady-load.ts'

interface Checked {
  readonly keyId: string
  readonly others: number
  readonly broken: number
}

/**
 * The master key of an install of two processes is changed while it is called without a pause: each
 * process makes tokens that the other one shows. `tokens`: how many there are before.
 */
export async function rotateUnderLoad({ tokens, calls }: { tokens: number; calls: number }) {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await cloneDatabase())
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const common = settingsFor(database.url)
  const keys = (current: Buffer, previous?: Buffer): Settings => ({
    ...common,
    CHORALE_MASTER_KEY: current.toString('base64'),
    ...(previous && { CHORALE_MASTER_KEY_PREVIOUS: previous.toString('base64') }),
  })
  const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    keys(oldKey),
    ...['app', 'create', '--name', 'Test'],
  )
  await addTokens(database.url, oldKey, appId, tokens)
  const start = async (settings: Settings) => stack.use(await startServing(settings))
  const reading = await start(keys(oldKey, newKey))
  let serving: readonly Serving[] = [reading]

  const call = async (number: number, method: string, path: string, body?: object, more = {}) => {
    const { origin } = serving[number % serving.length] ?? reading
    const headers = { appId, connection: 'close', ...more }
    const text = body && JSON.stringify(body)
    const answer = await send(origin, { method, path, headers, body: text, deadlineMs: 60_000 })
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return JSON.parse(answer.text).data
  }
  const apikey = apiKeys.fullAccess
  const load = stack.use(
    startSteadyLoad(3, async (number) => {
      const uid = `u${number}`
      const user = { uid, name: 'U', withAuthToken: true }
      const { authToken } = await call(number, 'POST', '/v3/users', user, { apikey })
      const listed = await call(number + 1, 'GET', `/v3/users/${uid}/auth_tokens`, undefined, {
        apikey,
      })
      if (listed[0]?.authToken !== authToken) return `another token: ${JSON.stringify(listed)}`
      await call(number, 'GET', `/v3/users/${uid}`, undefined, { authToken })
      return undefined
    }),
  )
  const more = async () => {
    const enough = load.answered() + calls
    await expect
      .poll(() => load.answered() >= enough || load.failures.length > 0, { timeout: 240_000 })
      .toBe(true)
    expect(load.failures).toEqual([])
  }
  const leave = async (old: Serving, rest: readonly Serving[]) => {
    serving = rest
    // Calls that chose it before are on their way.
    await more()
    old.signal('SIGTERM')
    expect(await old.ended).toBe(0)
  }

  await more()
  const changing = await start(keys(newKey, oldKey))
  serving = [reading, changing]
  await more()
  await leave(reading, [changing])
  const rotated = await choraleJson<{ resealed: number }>(
    keys(newKey, oldKey),
    ...['master-key', 'rotate'],
  )
  expect(rotated.resealed).toBeGreaterThanOrEqual(tokens + 2)
  const done = await start(keys(newKey))
  serving = [changing, done]
  await more()
  await leave(changing, [done])
  await load.stop()
  expect(load.failures).toEqual([])
  const checked = await choraleJson<Checked>(keys(newKey), 'master-key', 'check')
  expect(checked).toMatchObject({ others: 0, broken: 0 })
  return { answered: load.answered(), ...rotated }
}

async function addTokens(url: string, masterKey: Buffer, appId: string, count: number) {
  const vault = openVault(masterKey)
  const rows = Array.from({ length: count }, (_, n) => {
    const token = `app_system_${n}`
    const hash = vault.hash(token, { appId, table: 'auth_tokens', field: 'token' })
    const sealed = vault.seal(token, placeIn(sealedColumns.authToken, appId, hash))
    return { hash, sealed }
  })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      `insert into auth_tokens (app_id, token_hash, uid, token_encrypted, created_at)
       select $1, t.hash, 'app_system', t.sealed, 1700000000
       from unnest($2::bytea[], $3::bytea[]) as t(hash, sealed)`,
      [appId, rows.map(({ hash }) => hash), rows.map(({ sealed }) => sealed)],
    )
  } finally {
    await client.end()
  }
}
