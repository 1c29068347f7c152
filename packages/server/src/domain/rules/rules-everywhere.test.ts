import { restClient } from '@chorale/sdk'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsFor, startServing } from '../../../../testing/src/processes/program.ts'
import { givenWith } from '../../../../testing/src/service/builders.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
const stack = new AsyncDisposableStack()
stack.use(app)
afterAll(() => stack.disposeAsync())

/** A process of its own, and a client that knows no other. */
async function openServer() {
  const settings = { ...settingsFor(app.databaseUrl), CHORALE_MASTER_KEY: app.masterKey }
  const { origin } = stack.use(await startServing(settings, '--parts', 'api'))
  const { appId, full: apiKey } = app.keys
  return restClient({ baseUrl: `${origin}/v3`, appId, apiKey })
}

type Server = Awaited<ReturnType<typeof openServer>>
let here: Server
let there: Server
beforeAll(async () => {
  ;[here, there] = await Promise.all([openServer(), openServer()])
  await app.given.user('ann')
  await app.given.user('ben')
  const many = { 'rateLimits.standard': 1_000_000, 'rateLimits.core': 1_000_000 }
  await app.as('full').mapAppSettings({ params: { appId: app.appId }, body: { settings: many } })
})

async function say(server: Server, text: string) {
  const { id, data } = await givenWith(server).message('ann', 'ben', { data: { text } })
  return { id, status: data.moderation?.status }
}

test('a rule that one process has saved holds for the next message of another', async () => {
  const params = { ruleId: 'walrus' }
  expect((await say(there, 'a walrus')).status).toBeUndefined()
  await here.createRule({ body: { id: 'walrus', conditions: [{ value: 'walrus' }] } })
  expect((await say(there, 'a walrus')).status).toBe('disapproved')
  for (const value of ['seal', 'walrus', 'seal', 'walrus']) {
    await here.updateRule({ params, body: { conditions: [{ value }] } })
    const caught = value === 'walrus' ? 'disapproved' : 'approved'
    expect([(await say(there, 'a walrus')).status, (await say(here, 'a walrus')).status]).toEqual([
      caught,
      caught,
    ])
  }
  await here.deleteRule({ params })
  expect((await say(there, 'a walrus')).status).not.toBe('disapproved')
})

test('while a rule changes, each message is moderated by one revision of it', async () => {
  const params = { ruleId: 'animals' }
  // Every revision looks for one of two: whoever says both is caught by any of them, and by one.
  await here.createRule({ body: { id: 'animals', conditions: [{ value: 'otter' }] } })
  const ids: string[] = []
  let changes = 0
  const enough = () => changes >= 30 && ids.length >= 60
  const changing = (async () => {
    while (!enough()) {
      const value = ++changes % 2 === 0 ? 'otter' : 'beaver'
      await here.updateRule({ params, body: { conditions: [{ value }] } })
    }
  })()
  while (!enough()) {
    const both = await Promise.all([here, there].map((one) => say(one, 'otter and beaver')))
    expect(both.map(({ status }) => status)).toEqual(['disapproved', 'disapproved'])
    ids.push(...both.map(({ id }) => id))
  }
  await changing
  const { rows } = await sql<{ revision: number; value: string[] }>`
    select split_part(verdict -> 'rule' ->> 'revisionId', '_', 3)::int as revision,
           verdict -> 'condition' -> 'value' as value
    from entries where app_id = ${app.appId} and id = any(${ids}::bigint[])`.execute(app.db)
  expect(rows).toHaveLength(ids.length)
  for (const { revision, value } of rows) {
    expect(value).toEqual([revision % 2 === 1 ? 'otter' : 'beaver'])
  }
  expect(new Set(rows.map(({ revision }) => revision)).size).toBeGreaterThan(3)
})
