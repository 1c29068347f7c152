import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { forgetDeletedGroups } from '../stored/traces.on.ts'
import { indexMessages } from './search.on.ts'
import { deleteWords } from './search.sql.ts'
import { indexEntries } from './search.ts'

// Without the one that erases entries: they are still there to be indexed.
const listeners = [forgetDeletedGroups, indexMessages]
const live = { listeners, settings: { NATS_PREFIX: natsPrefix() } }
const app = await startTestApp({ shadow: false, live })
afterAll(() => app[Symbol.asyncDispose]())
const { createGroup, deleteGroup, sendMessage } = app.as('full')

async function groupWithMessages(guid: string, messages: number) {
  await createGroup({ body: { guid, name: guid, type: 'public' } })
  for (let n = 0; n < messages; n++) {
    const to = { receiver: guid, receiverType: 'group', category: 'message', type: 'text' } as const
    await sendMessage({ body: { ...to, data: { text: 'cinnamon' } } })
  }
  const { rows } = await sql<{ bucket: number; key: number }>`
    select bucket, conversation_key as key from groups
    where app_id = ${app.appId} and guid = ${guid}`.execute(app.db)
  const [place] = rows
  if (!place) throw new Error('There is no such group.')
  await expect.poll(() => indexed(place), { timeout: 15_000 }).toBe(messages)
  return place
}

async function indexed({ bucket, key }: { bucket: number; key: number }) {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from entry_words
    where bucket = ${bucket} and conversation_key = ${key}`.execute(app.db)
  return rows[0]?.n
}

test('the words of a deleted group are forgotten, and no others', async () => {
  const gone = await groupWithMessages('gone', 3)
  const kept = await groupWithMessages('kept', 3)
  await deleteGroup({ params: { guid: 'gone' } })
  await expect.poll(() => indexed(gone), { timeout: 15_000 }).toBe(0)
  // A send that is heard of late does not bring them back.
  await indexEntries(app.db, [{ ...gone, firstSeq: 1, lastSeq: 3 }])
  expect([await indexed(gone), await indexed(kept)]).toEqual([0, 3])
})

test('the words of a message that a moderator blocks are forgotten', async () => {
  const place = await groupWithMessages('moderated', 2)
  const full = app.as('full')
  const { data } = await full.listGroupMessages({
    params: { guid: 'moderated' },
    query: { category: 'message' },
  })
  const id = data[0] && 'id' in data[0] ? data[0].id : ''
  await app.given.users('ann')
  await full.addMembers({ params: { guid: 'moderated' }, body: { participants: ['ann'] } })
  await full.flagMessage({ params: { id }, onBehalfOf: 'ann', body: { reasonId: 'spam' } })
  await full.reviewFlaggedMessage({ params: { id }, body: { status: 'disapproved' } })
  const withWords = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from entry_words
      where bucket = ${place.bucket} and conversation_key = ${place.key} and words <> '{}'
    `.execute(app.db)
    return rows[0]?.n
  }
  await expect.poll(withWords, { timeout: 30_000 }).toBe(1)
})

test('it goes in steps, and only in the app that asks', async () => {
  const place = await groupWithMessages('steps', 3)
  expect(await deleteWords({ ...app, appId: 'another' }, place, 2)).toBe(false)
  const step = () => deleteWords(app, place, 2)
  expect([await step(), await indexed(place)]).toEqual([true, 1])
  expect([await step(), await indexed(place)]).toEqual([false, 0])
})
