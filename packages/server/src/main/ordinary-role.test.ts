import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { withDatabase } from '../../../testing/src/engines/database-url.ts'
import { send } from '../../../testing/src/network/wire.ts'
import {
  chorale,
  choraleJson,
  settingsFor,
  startServing,
} from '../../../testing/src/processes/program.ts'

// Processes start.
vi.setConfig({ testTimeout: 180_000 })

const admin = new pg.Client({ connectionString: inject('databaseUrl') })
await admin.connect()
const name = `chorale_role_${randomBytes(6).toString('hex')}`
afterAll(async () => {
  await admin.query(`drop database if exists ${name} with (force)`)
  await admin.query(`drop role if exists ${name}`)
  await admin.end()
})

test('a role without any privilege but its own database migrates and serves', async () => {
  const password = randomBytes(12).toString('hex')
  await admin.query(
    `create role ${name} login nosuperuser nocreatedb nocreaterole password '${password}'`,
  )
  await admin.query(`create database ${name} owner ${name}`)
  const url = new URL(withDatabase(inject('databaseUrl'), name))
  url.username = name
  url.password = password
  const settings = settingsFor(url.href)
  const migrated = await chorale(settings, 'migrate')
  expect([migrated.code, migrated.stderr]).toEqual([0, ''])
  const app = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    settings,
    ...['app', 'create', '--name', 'Test'],
  )
  await using serving = await startServing(settings)
  const headers = {
    appId: app.appId,
    apikey: app.apiKeys.fullAccess,
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ uid: 'ann', name: 'Ann' })
  const made = await send(serving.origin, { method: 'POST', path: '/v3/users', headers, body })
  expect([made.status, made.text]).toEqual([200, made.text])
  const { rows } = await admin.query<{ super: boolean }>(
    `select bool_or(rolsuper) as super from pg_stat_activity join pg_roles on rolname = usename
     where datname = $1`,
    [name],
  )
  expect(rows).toEqual([{ super: false }])
})
