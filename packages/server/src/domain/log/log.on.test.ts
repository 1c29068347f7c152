import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'
import { eraseEntries } from './erasure/index.ts'

const live = { listeners, settings: { NATS_PREFIX: natsPrefix() } }
const app = await startTestApp({ shadow: false, live })
afterAll(() => app[Symbol.asyncDispose]())
const { createGroup, deleteGroup, sendMessage, editMessage, pinMessage } = app.as('full')

async function groupWithMessages(guid: string, messages: number) {
  await createGroup({ body: { guid, name: guid, type: 'public' } })
  for (let n = 0; n < messages; n++) {
    const to = { receiver: guid, receiverType: 'group', category: 'message', type: 'text' } as const
    const { data } = await sendMessage({ body: { ...to, data: { text: 'x' } } })
    const id = 'id' in data ? String(data.id) : ''
    if (n > 0) continue
    await editMessage({ params: { id }, body: { data: { text: 'y' } } })
    await pinMessage({ params: { id } })
  }
  const { rows } = await sql<{ bucket: number; key: number }>`
    select bucket, conversation_key as key from groups
    where app_id = ${app.appId} and guid = ${guid}`.execute(app.db)
  const [place] = rows
  if (!place) throw new Error('There is no such group.')
  return place
}

async function left({ bucket, key }: { bucket: number; key: number }) {
  const { rows } = await sql`
    select (select count(*) from entries e
            where e.bucket = ${bucket} and e.conversation_key = ${key}) as entries,
           (select count(*) from entry_edits e
            where e.bucket = ${bucket} and e.conversation_key = ${key}) as edits,
           (select count(*) from pins p
            where p.bucket = ${bucket} and p.conversation_key = ${key}) as pins`.execute(app.db)
  return rows[0]
}

test('the log of a deleted group is erased, and no other', async () => {
  const gone = await groupWithMessages('gone', 3)
  const kept = await groupWithMessages('kept', 3)
  expect(await left(gone)).toEqual({ entries: 4, edits: 1, pins: 1 })
  await deleteGroup({ params: { guid: 'gone' } })
  await expect
    .poll(() => left(gone), { timeout: 15_000 })
    .toEqual({ entries: 0, edits: 0, pins: 0 })
  expect(await left(kept)).toEqual({ entries: 4, edits: 1, pins: 1 })
})

test('it goes in steps, the oldest entries first', async () => {
  const place = await groupWithMessages('steps', 4)
  const step = () => eraseEntries(app, place, 2)
  const others = { edits: 1, pins: 1 }
  expect([await step(), await left(place)]).toEqual([true, { entries: 3, ...others }])
  expect([await step(), await left(place)]).toEqual([true, { entries: 1, ...others }])
  expect([await step(), await left(place)]).toEqual([false, { entries: 0, ...others }])
})
