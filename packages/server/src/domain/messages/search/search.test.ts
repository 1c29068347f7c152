import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { readSpans, saveWords } from './search.sql.ts'
import { type EntrySpan, indexEntries, type SearchScope, searchEntries } from './search.ts'
import { wordsOf } from './search-words.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { appId, db } = app
const full = app.as('full')
await app.given.users('ann', 'bob', 'cyd')

async function say(text: string, to: { group: string } | { user: string }, onBehalfOf = 'ann') {
  const [receiverType, receiver] =
    'group' in to ? (['group', to.group] as const) : (['user', to.user] as const)
  const body = { receiverType, receiver, data: { text } }
  const { data } = await full.sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('One receiver, one message.')
  return data.id
}

/** Everything that was ever appended, in all apps. */
async function allSpans(): Promise<EntrySpan[]> {
  const { rows } = await sql<EntrySpan>`
    select bucket, key, "firstSeq", "lastSeq" from append_receipts,
      unnest(buckets, conversation_keys, first_seqs, last_seqs)
        as s(bucket, key, "firstSeq", "lastSeq")`.execute(db)
  return rows
}

async function indexAll(): Promise<void> {
  await indexEntries(db, await allSpans())
}

async function found(text: string, scope: SearchScope, inApp = appId): Promise<string[]> {
  const { places, next } = await searchEntries({ appId: inApp, db }, text, scope, { limit: 100 })
  expect(next).toBeUndefined()
  return places.map(({ id }) => String(id))
}

async function inGroup(guid: string, resetSeq = 0): Promise<SearchScope> {
  const { rows } = await sql<{ bucket: number; key: number }>`
    select bucket, conversation_key as key from groups
    where app_id = ${appId} and guid = ${guid}`.execute(db)
  const [place] = rows
  if (!place) throw new Error(`There is no group ${guid}.`)
  return { kind: 'conversation', ...place, resetSeq }
}

const ofUser = (uid: string): SearchScope => ({ kind: 'user', uid })
const inApp: SearchScope = { kind: 'app' }

describe('scopes', () => {
  test('a conversation, those of a user, the app: newest first, and never another app', async () => {
    await app.given.group('tea', { owner: 'ann', members: { participants: ['bob'] } })
    const first = await say('Green jasmine?', { group: 'tea' })
    const second = await say('jasmine, green', { user: 'cyd' })
    const third = await say('JASMINE only', { group: 'tea' }, 'bob')
    expect(await found('jasmine', inApp)).toEqual([])
    await indexAll()
    expect(await found('jasmine', inApp)).toEqual([third, second, first])
    expect(await found('green jas', inApp)).toEqual([second, first])
    expect(await found('jasmine', await inGroup('tea'))).toEqual([third, first])
    expect(await found('jasmine', ofUser('ann'))).toEqual([third, second, first])
    expect(await found('jasmine', ofUser('bob'))).toEqual([third, first])
    expect(await found('jasmine', ofUser('cyd'))).toEqual([second])
    expect(await found('jasmine', ofUser('nobody'))).toEqual([])
    const { rows } = await sql<{ id: string }>`
      select distinct app_id as id from entry_words where app_id <> ${appId}`.execute(db)
    expect(rows).toHaveLength(1)
    const shadow = await found('jasmine', inApp, rows[0]?.id)
    expect(shadow).toHaveLength(3)
    expect(shadow).not.toContain(first)
    expect(await found('jasmine', await inGroup('tea'), rows[0]?.id)).toEqual([])
  })

  test('a user finds nothing behind a reset, and nothing in a group that was left', async () => {
    await app.given.group('den', { owner: 'ann', members: { participants: ['bob', 'cyd'] } })
    const before = await say('saffron before', { group: 'den' })
    await full.resetGroupConversation({ params: { guid: 'den' }, onBehalfOf: 'bob' })
    const after = await say('saffron after', { group: 'den' })
    await indexAll()
    expect(await found('saffron', ofUser('bob'))).toEqual([after])
    expect(await found('saffron', ofUser('cyd'))).toEqual([after, before])
    const { places } = await searchEntries({ appId, db }, 'before', inApp, { limit: 1 })
    expect(await found('saffron', await inGroup('den', places[0]?.seq))).toEqual([after])
    await full.leaveGroup({ params: { guid: 'den' }, onBehalfOf: 'cyd' })
    expect(await found('saffron', ofUser('cyd'))).toEqual([])
    expect(await found('saffron', ofUser('ann'))).toEqual([after, before])
  })

  test('what was said in a group that is gone is not found', async () => {
    await app.given.group('gone', { owner: 'ann' })
    await say('cardamom', { group: 'gone' })
    await indexAll()
    expect(await found('cardamom', inApp)).toHaveLength(1)
    await full.deleteGroup({ params: { guid: 'gone' } })
    expect(await found('cardamom', inApp)).toEqual([])
  })
})

describe('changes', () => {
  test('an edited message is found by its new words, and by the old ones at no time', async () => {
    const id = await say('turmeric root', { user: 'bob' })
    await indexAll()
    expect(await found('root turmeric', inApp)).toEqual([id])
    await full.editMessage({ params: { id }, body: { data: { text: 'vanilla root' } } })
    expect(await found('turmeric', inApp)).toEqual([])
    expect(await found('root', inApp)).toEqual([id])
    await indexAll()
    expect(await found('turmeric', inApp)).toEqual([])
    expect(await found('vanilla', inApp)).toEqual([id])
  })

  test.each([true, false])(
    'a deleted message is found at no time (for ever: %s)',
    async (forever) => {
      const id = await say('nutmeg', { user: 'bob' })
      await indexAll()
      expect(await found('nutmeg', inApp)).toEqual([id])
      await full.deleteMessage({ params: { id }, body: { permanent: forever } })
      expect(await found('nutmeg', inApp)).toEqual([])
      await indexAll()
      expect(await found('nutmeg', inApp)).toEqual([])
      expect(await wordsKeptOf(id)).toEqual([])
    },
  )

  test('who read an entry before it changed does not put its words back', async () => {
    const edited = await say('clove old', { user: 'bob' })
    const deleted = await say('clove doomed', { user: 'bob' })
    const read = await readSpans(db, await allSpans())
    await full.editMessage({ params: { id: edited }, body: { data: { text: 'clove young' } } })
    await full.deleteMessage({ params: { id: deleted }, body: { permanent: true } })
    await indexAll()
    const late = read.filter(({ id }) => [edited, deleted].includes(String(id)))
    await saveWords(
      db,
      late.map((entry) => ({ ...entry, words: wordsOf(entry.appId, entry.text ?? '') })),
    )
    expect(await found('young', inApp)).toEqual([edited])
    expect(await wordsKeptOf(deleted)).toEqual([])
  })

  test('indexing again changes nothing', async () => {
    await indexAll()
    const versions = async () =>
      (await sql`select xmin::text, * from entry_words order by bucket, id`.execute(db)).rows
    const before = await versions()
    await indexAll()
    expect(before).not.toEqual([])
    expect(await versions()).toEqual(before)
  })

  test('actions are not searched; captions are', async () => {
    const media = {
      receiverType: 'user',
      receiver: 'bob',
      type: 'image',
      data: { text: 'fennel field', attachments: [{ url: 'https://example.com/fennel.png' }] },
    } as const
    const { data } = await full.sendMessage({ onBehalfOf: 'ann', body: media })
    await indexAll()
    expect(await found('fennel', inApp)).toEqual('id' in data ? [data.id] : [])
    const { rows } = await sql`
      select from entry_words w join entries e on e.bucket = w.bucket and e.id = w.id
      where e.category = 'action'`.execute(db)
    expect(rows).toEqual([])
  })
})

async function wordsKeptOf(id: string): Promise<unknown> {
  const { rows } = await sql<{ words: number[] }>`
    select words from entry_words where app_id = ${appId} and id = ${id}`.execute(db)
  return rows[0]?.words
}

test('a query without words finds nothing', async () => {
  expect(await found('?!', inApp)).toEqual([])
})
