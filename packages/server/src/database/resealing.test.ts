import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { consoleClient } from '../../../testing/src/service/console.ts'
import { newSession } from '../../../testing/src/service/console-session.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { placeIn, type SealedColumn, sealedColumns } from '../vault/sealed-columns.ts'
import { openVault } from '../vault/vault.ts'
import { openKeyring, resealLookupKey, WrongMasterKey } from './keyring.ts'
import { inspectAll, type Progress, resealAll } from './resealing.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { appId, db } = app
const calls = app.as('full')
const oldKey = Buffer.from(app.masterKey, 'base64')
const params = { appId }
const columns: readonly SealedColumn[] = Object.values(sealedColumns)

/** Bytes that are no secret: hashes, and what a device sends of itself. */
const notSealed = [
  'api_keys.key_hash',
  'auth_tokens.token_hash',
  'collaborator_sessions.session_hash',
  'jwt_revocations.token_hash',
  'management_keys.secret_hash',
  'notification_deliveries.device',
  'push_tokens.push_token_hash',
  'push_tokens.token_hash',
]

test('H7: every column of bytes is listed as sealed, or known not to be', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and (data_type = 'bytea' or column_name like '%encrypted%')
    order by 1`.execute(db)
  const listed = columns.map(({ table, column }) => `${table}.${column}`)
  const own = 'vault_keys.lookup_key_encrypted'
  expect(rows.map(({ name }) => name)).toEqual([...listed, ...notSealed, own].toSorted())
})

async function secretsEverywhere() {
  await calls.createUser({ body: { uid: 'ada', name: 'Ada', withAuthToken: true } })
  const hook = { id: 'hook', name: 'Hook', webhookURL: 'https://hooks.example.com/' }
  const auth = { useBasicAuth: true, username: 'u', password: 'webhook password' }
  await calls.createWebhook({ params, body: { ...hook, ...auth } })
  await calls.rotateWebhookSecret({ params: { appId, webhookId: 'hook' } })
  const provider = { isEnabled: true, webhookURL: 'https://push.example.com/', useBasicAuth: true }
  await calls.createCustomPushProvider({
    body: { ...provider, basicAuthUsername: 'u', basicAuthPassword: 'provider password' },
  })
  const vault = openVault(oldKey)
  const person = { email: 'ada@example.com', name: 'Ada', roles: {} }
  const { session } = await newSession(app, vault, person, Math.floor(Date.now() / 1000))
  await consoleClient(app, session, appId).startTotp()
  const certificate = vault.seal('{}', placeIn(sealedColumns.certificate, appId, 'p8'))
  await sql`insert into push_certificates values (${appId}, 'p8', ${certificate}, 1)`.execute(db)
  const key = vault.seal('key', placeIn(sealedColumns.pushPrivateKey, appId))
  await sql`insert into push_settings values (${appId}, '{}', ${key}, 1)`.execute(db)
  const bucket = vault.seal('bucket', placeIn(sealedColumns.fileStoreSecret, appId, '1'))
  await sql`
    insert into file_stores (app_id, store_id, endpoint, region, bucket, prefix, style, uploads,
      access_key_id, secret_encrypted, created_at, is_current)
    overriding system value
    values (${appId}, 1, 'https://s3.example', 'r', 'b', '', 'path', 'post', 'k', ${bucket}, 1,
            true)`.execute(db)
  const classifier = vault.seal(
    'classifier',
    placeIn(sealedColumns.classifierSecret, appId, 'list'),
  )
  for (const revision of [1, 2]) {
    await sql`
      insert into moderation_keyword_lists (app_id, list_id, revision, active, name, category,
        is_csv, terms, created_at, updated_at, classifier_secret_encrypted)
      values (${appId}, 'list', ${revision}, ${revision === 2}, 'l', 'customApi', false, '{}', 1, 1,
              ${classifier})`.execute(db)
  }
}

test('L9: a ciphertext is worth nothing in another row of its table', async () => {
  const before = await calls.listApiKeys()
  await sql`
    update api_keys k set key_encrypted = o.key_encrypted from api_keys o
    where k.app_id = ${appId} and o.app_id = k.app_id and o.key_hash <> k.key_hash`.execute(db)
  await expect(calls.listApiKeys()).rejects.toMatchObject({ status: 500 })
  await sql`
    update api_keys k set key_encrypted = o.key_encrypted from api_keys o
    where k.app_id = ${appId} and o.app_id = k.app_id and o.key_hash <> k.key_hash`.execute(db)
  expect(await calls.listApiKeys()).toEqual(before)
})

test('H7: another master key seals every column anew, and hashes stay as they are', async () => {
  await secretsEverywhere()
  const newKey = randomBytes(32)
  await expect(openKeyring(db, { current: newKey })).rejects.toThrow(WrongMasterKey)
  const before = await openKeyring(db, { current: oldKey })
  const vault = await openKeyring(db, { current: newKey, previous: oldKey })
  const place = { appId, table: 'auth_tokens', field: 'token' }
  expect(vault.hash('x', place)).toEqual(before.hash('x', place))

  const told: Progress[] = []
  const { resealed, broken } = await resealAll(db, vault, (progress) => told.push(progress))
  expect(new Set(told.map(({ table, column }) => `${table}.${column}`))).toEqual(
    new Set(columns.map(({ table, column }) => `${table}.${column}`)),
  )
  expect([resealed > columns.length, broken]).toEqual([true, 0])
  for (const { column, byKey, broken: lost } of await inspectAll(db, vault)) {
    expect([Object.keys(byKey), lost], column).toEqual([[vault.keyId], 0])
  }
  // Nothing is left to do, and the key is not changed until that is so.
  expect(await resealAll(db, vault, () => undefined)).toEqual({ resealed: 0, broken: 0 })
  await expect(openKeyring(db, { current: newKey })).rejects.toThrow(WrongMasterKey)
  await resealLookupKey(db, vault)
  const after = await openKeyring(db, { current: newKey })
  expect(after.hash('x', place)).toEqual(before.hash('x', place))
  await expect(openKeyring(db, { current: oldKey })).rejects.toThrow(WrongMasterKey)
})

test('H7: what no key opens is counted, and the rest is sealed all the same', async () => {
  const { appId: other } = await app.anotherApp()
  const lost = openVault(randomBytes(32)).seal('x', placeIn(sealedColumns.pushPrivateKey, other))
  await sql`insert into push_settings values (${other}, '{}', ${lost}, 1)`.execute(db)
  const vault = openVault(randomBytes(32), { previous: oldKey })
  const { resealed, broken } = await resealAll(db, vault, () => undefined)
  // The keys of this app; those of the other one have another master key by now.
  expect(resealed).toBe(2)
  const census = await inspectAll(db, vault)
  expect(census.reduce((sum, column) => sum + column.broken, 0)).toBe(broken)
  expect(broken).toBeGreaterThan(1)
})

test('a secret in the first format is opened, by either key, and in its place only', () => {
  const place = placeIn(sealedColumns.providerSecret, 'app', 'push', 'custom', 'p1')
  const key = Buffer.from(hkdfSync('sha256', oldKey, Buffer.alloc(0), 'chorale seal', 32))
  const iv = randomBytes(12)
  const bound = Buffer.from('app\0notification_providers\0push/custom/p1\0')
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound)
  const text = Buffer.concat([cipher.update('secret', 'utf8'), cipher.final()])
  const sealed = Buffer.concat([Buffer.of(1), iv, cipher.getAuthTag(), text])
  expect(openVault(oldKey).open(sealed, place)).toBe('secret')
  const changing = openVault(randomBytes(32), { previous: oldKey })
  expect(changing.open(sealed, place)).toBe('secret')
  const elsewhere = placeIn(sealedColumns.providerSecret, 'app', 'push', 'custom', 'p2')
  expect(() => changing.open(sealed, elsewhere)).toThrow()
  expect(() => openVault(randomBytes(32)).open(sealed, place)).toThrow()
})
