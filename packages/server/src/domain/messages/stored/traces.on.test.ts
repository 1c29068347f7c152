import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { natsPrefix } from '../../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { forgetDeletedGroups } from './traces.on.ts'
import { eraseTraces } from './traces.sql.ts'

const live = { listeners: [forgetDeletedGroups], settings: { NATS_PREFIX: natsPrefix() } }
const app = await startTestApp({ shadow: false, live })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')

/** A group with three messages; each of them is edited, pinned, saved, reacted to and replied to. */
async function groupWithTraces(guid: string) {
  const uid = `${guid}-ann`
  await app.given.users(uid)
  await full.createGroup({ body: { guid, name: guid, type: 'public', owner: uid } })
  const text = { category: 'message', type: 'text', data: { text: 'x' } } as const
  const to = { receiver: guid, receiverType: 'group', ...text } as const
  for (const _ of ['one', 'two', 'three']) {
    const { data } = await full.sendMessage({ onBehalfOf: uid, body: to })
    const params = { id: 'id' in data ? String(data.id) : '' }
    await full.editMessage({ params, body: { data: { text: 'y' } } })
    await full.pinMessage({ params })
    await full.saveMessage({ params, onBehalfOf: uid })
    await full.addReaction({ params: { ...params, reaction: 'x' }, onBehalfOf: uid })
    await full.replyToMessage({ params, onBehalfOf: uid, body: text })
  }
  const { rows } = await sql<{ bucket: number; key: number }>`
    select bucket, conversation_key as key from groups
    where app_id = ${app.appId} and guid = ${guid}`.execute(app.db)
  const [place] = rows
  if (!place) throw new Error('There is no such group.')
  return place
}

const tables = ['entry_edits', 'pins', 'saves', 'reactions', 'threads', 'thread_subscriptions']

async function left({ bucket, key }: { bucket: number; key: number }): Promise<number[]> {
  const counts = tables.map(async (table) => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(table)}
      where bucket = ${bucket} and conversation_key = ${key}`.execute(app.db)
    return rows[0]?.n ?? 0
  })
  return Promise.all(counts)
}

const all = [3, 3, 3, 3, 3, 3]
const none = [0, 0, 0, 0, 0, 0]

test('what people left on the messages of a deleted group is erased, and nothing else', async () => {
  const gone = await groupWithTraces('gone')
  const kept = await groupWithTraces('kept')
  expect(await left(gone)).toEqual(all)
  await full.deleteGroup({ params: { guid: 'gone' } })
  await expect.poll(() => left(gone), { timeout: 60_000 }).toEqual(none)
  expect(await left(kept)).toEqual(all)
})

test('it is erased in steps, and only in the app that asks', async () => {
  const place = await groupWithTraces('steps')
  expect(await eraseTraces({ ...app, appId: 'another' }, place, 2)).toBe(false)
  expect(await left(place)).toEqual(all)
  expect(await eraseTraces(app, place, 2)).toBe(true)
  expect(await left(place)).toEqual([1, 1, 1, 1, 1, 1])
  expect(await eraseTraces(app, place, 2)).toBe(false)
  expect(await left(place)).toEqual(none)
})
