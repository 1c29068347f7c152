import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import type { Db } from '../../database/db.ts'

// Calls of the same moment, brought into the order in which they would do harm: a transaction of the
// test holds a row until they wait for it.

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given

/** How many statements of the service wait for a row. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
  return Number(rows[0]?.count)
}

const untilWaiting = (count: number) =>
  expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThanOrEqual(count)

/** While the test holds the row of this participant. */
async function holding(uid: string, run: (tx: Db) => Promise<void>): Promise<void> {
  await app.db.transaction().execute(async (tx) => {
    await sql`
      select from participants where app_id = ${app.appId} and uid = ${uid}
      for no key update`.execute(tx)
    await run(tx)
  })
}

const unread = async (uid: string, onBehalfOf: string) =>
  (await full.getUserConversation({ params: { uid }, onBehalfOf })).data[0]?.unreadMessageCount

test('of two marks at once the farther one holds', async () => {
  await app.given.users('ann', 'bob')
  const { id: first } = await message('ann', 'bob')
  const { id: last } = await message('ann', 'bob')
  const mark = (messageId: string) =>
    full.markUserConversationRead({
      params: { uid: 'ann' },
      onBehalfOf: 'bob',
      body: { messageId },
    })
  const calls: Promise<unknown>[] = []
  await holding('bob', async () => {
    calls.push(mark(last))
    await untilWaiting(1)
    calls.push(mark(first))
    await untilWaiting(2)
  })
  await Promise.all(calls)
  expect(await unread('ann', 'bob')).toBe('0')
})

test('a conversation that is deleted for all while somebody writes counts no message twice', async () => {
  await app.given.users('cyd', 'dan')
  await message('cyd', 'dan')
  const calls: Promise<unknown>[] = []
  await holding('cyd', async () => {
    calls.push(message('cyd', 'dan'))
    await untilWaiting(1)
    const params = { conversationId: 'cyd_user_dan' }
    calls.push(full.deleteConversation({ params, onBehalfOf: 'dan' }))
    await untilWaiting(2)
  })
  await Promise.all(calls)
  await message('dan', 'cyd')
  expect(await unread('dan', 'cyd')).toBe('1')
})

test('an edit takes the conversation before the message, as a send does', async () => {
  await app.given.users('eve', 'fay')
  const { id } = await message('eve', 'fay')
  const body = { data: { text: 'again' } }
  const calls: Promise<unknown>[] = []
  await app.db.transaction().execute(async (tx) => {
    const ofMessage = sql`e.app_id = ${app.appId} and e.id = ${Number(id)}`
    await sql`
      select from conversations c join entries e
        on e.bucket = c.bucket and e.conversation_key = c.conversation_key
      where ${ofMessage} for no key update of c`.execute(tx)
    calls.push(full.editMessage({ params: { id }, onBehalfOf: 'eve', body }))
    await untilWaiting(1)
    // Would fail if the edit had it.
    await sql`select from entries e where ${ofMessage} for no key update nowait`.execute(tx)
  })
  await Promise.all(calls)
  expect((await full.getMessage({ params: { id } })).data.data.text).toBe('again')
})
