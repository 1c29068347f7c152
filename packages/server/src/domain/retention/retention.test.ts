import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'
import { besideTables, messageTables, otherTables } from './tables.ts'

const app = await startTestApp({ shadow: false, live: { listeners } })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const wait = { timeout: 30_000, interval: 50 }
const day = 86_400
const now = Math.floor(Date.now() / 1000)

/** Tables of the app, without partitions. */
async function tables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'app_id' and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace = 'public'::regnamespace order by 1`.execute(app.db)
  return rows.map(({ name }) => name)
}

/** Tables in which the words stand, and how often. */
async function scan(words: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of await tables()) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} t
      where t.app_id = ${app.appId} and strpos(lower(t::text), ${words}) > 0`.execute(app.db)
    const [{ count } = { count: 0 }] = rows
    if (count > 0) found[table] = count
  }
  return found
}

interface Sent {
  readonly text: string
  readonly daysAgo: number
  readonly sender?: string
  readonly more?: object
}

/** Messages of a group, or of ann and bob, with their ages: an import keeps those. */
async function sent(receiver: string, messages: readonly Sent[]): Promise<string[]> {
  const receiverType = receiver === 'bob' ? ('user' as const) : ('group' as const)
  const items = messages.map(({ text, daysAgo, sender = 'ann', more }, nth) => {
    const muid = `${receiver}-${text.replaceAll(' ', '-')}-${nth}`
    const sentAt = now - daysAgo * day + nth
    const item = { muid, sender, receiver, receiverType, sentAt, data: { text }, ...more }
    return [muid, item] as const
  })
  const body = { messages: Object.fromEntries(items), unread: true }
  const { data } = await full.importMessages({ body })
  return items.map(([muid]) => {
    const { id } = Object(data[muid]?.data)
    if (id === undefined) throw new Error(JSON.stringify(data[muid]))
    return id
  })
}

/** Now, whatever has run before. */
async function ended(before: number): Promise<void> {
  await expect
    .poll(async () => {
      const { data } = await full.listRetentionRuns()
      return data.filter(({ status }) => status === 'done').length
    }, wait)
    .toBeGreaterThan(before)
}

async function runs(): Promise<number> {
  return (await full.listRetentionRuns()).data.filter(({ status }) => status === 'done').length
}

async function again(): Promise<void> {
  const before = await runs()
  await sql`
    update retention_runs set started_at = 0 where app_id = ${app.appId}`.execute(app.db)
  app.wake({ name: 'retention' })
  await ended(before)
}

async function unreadOf(uid: string): Promise<Record<string, string>> {
  const { data } = await full.listConversations({ onBehalfOf: uid })
  return Object.fromEntries(data.map((one) => [one.conversationId, one.unreadMessageCount]))
}

async function textsOf(guid: string): Promise<unknown[]> {
  const query = { limit: 100, category: 'message' }
  const { data } = await full.listGroupMessages({ params: { guid }, query })
  return data.map((one) => 'data' in one && one.data.text)
}

/** By imports: what tells of new members is of today. */
async function makeGroup(guid: string): Promise<void> {
  const at = now - 1000 * day
  const group = { guid, name: guid, type: 'public', owner: 'ann', createdAt: at } as const
  await full.importGroups({ body: { groups: { [guid]: group } } })
  const members = ['bob', 'cid'].map((uid) => {
    const memberId = `${guid}_member_${uid}`
    return [memberId, { memberId, guid, uid, joinedAt: at }] as const
  })
  await full.importMembers({ body: { members: Object.fromEntries(members) } })
}

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid')
  for (const guid of ['den', 'attic', 'long']) await makeGroup(guid)
})

test('every table of an app is walked, or has a reason why not', async () => {
  const walked = [...messageTables, ...Object.keys(besideTables)]
  const known = new Set([...walked, ...Object.keys(otherTables)])
  expect([...known].toSorted()).toEqual(await tables())
})

test('with a hold none is gone; without it what is older is, everywhere, and what is younger stays', async () => {
  const reactions = [{ uid: 'bob', reaction: 'old-word' }]
  const [first = '', edited = ''] = await sent('den', [
    { text: 'old-word one', daysAgo: 60, more: { reactions, tags: ['old-word'] } },
    { text: 'old-word two', daysAgo: 50 },
    { text: 'old-word three', daysAgo: 40, sender: 'bob' },
  ])
  await sent('den', [{ text: 'old-word reply', daysAgo: 39, more: { parentId: first } }])
  await sent('den', [{ text: 'young one', daysAgo: 3 }])
  await sent('bob', [
    { text: 'old-word to bob', daysAgo: 45 },
    { text: 'young to bob', daysAgo: 2 },
  ])
  const body = { data: { text: 'old-word edited' } }
  await full.editMessage({ params: { id: edited }, onBehalfOf: 'ann', body })
  await full.flagMessage({
    params: { id: edited },
    onBehalfOf: 'cid',
    body: { reasonId: 'harassment', remark: 'old-word remark' },
  })
  await full.pinMessage({ params: { id: first }, onBehalfOf: 'ann' })
  await full.saveMessage({ params: { id: first }, onBehalfOf: 'bob' })
  await full.markGroupConversationRead({
    params: { guid: 'den' },
    onBehalfOf: 'cid',
    body: { messageId: edited },
  })
  await expect
    .poll(async () => Object.keys(await scan('old-word')), wait)
    .toContain('moderation_cases')
  const before = await scan('old-word')
  const words = async (query: string) =>
    (await full.listMessages({ query: { searchKey: query } })).data.length
  await expect.poll(() => words('two'), wait).toBe(0)
  await expect.poll(() => words('three'), wait).toBe(1)
  await expect.poll(() => words('young'), wait).toBe(2)
  expect([await unreadOf('bob'), await unreadOf('cid')]).toMatchObject([
    { group_den: '3', ann_user_bob: '2' },
    { group_den: '2' },
  ])

  const { data: hold } = await full.createHold({ body: { uid: 'ann', reason: 'Case' } })
  const { data: rule } = await full.setRetention({ body: { days: 30 } })
  expect(rule).toMatchObject({ days: 30 })
  await ended(0)
  const [held] = (await full.listRetentionRuns()).data
  expect(held).toMatchObject({ messages: 0, status: 'done' })
  expect(held?.held).toBeGreaterThanOrEqual(5)
  expect(await scan('old-word')).toEqual(before)

  await full.releaseHold({ params: { holdId: hold.holdId } })
  await again()
  expect(await scan('old-word')).toEqual({})
  expect(await textsOf('den')).toEqual(['young one'])
  expect(await unreadOf('bob')).toMatchObject({ group_den: '1', ann_user_bob: '1' })
  expect(await unreadOf('cid')).toMatchObject({ group_den: '1' })
  expect(await words('three')).toBe(0)
  expect(await words('young')).toBe(2)
  const { rows: hashes } = await sql`
    select from entry_words w join entries e on e.bucket = w.bucket
      and e.conversation_key = w.conversation_key and e.id = w.id
    where e.app_id = ${app.appId} and e.erased and w.words <> '{}'`.execute(app.db)
  expect(hashes.length).toBe(0)
  const [run] = (await full.listRetentionRuns()).data
  expect(run).toMatchObject({ held: 0, rows: { moderation_cases: 1 } })
  // The edit is an action, which is younger.
  expect([run?.messages, run?.conversations]).toEqual([5, 2])
  const { rows } = await sql`
    select from audit_log where app_id = ${app.appId} and operation = 'retention run'
  `.execute(app.db)
  expect(rows.length).toBe(2)
})

test('a conversation has days of its own, and a held sender keeps what they said', async () => {
  await sent('attic', [
    { text: 'very old', daysAgo: 400, sender: 'bob' },
    { text: 'kept', daysAgo: 390, sender: 'cid' },
    { text: 'old', daysAgo: 100, sender: 'bob' },
    { text: 'newer', daysAgo: 80, sender: 'bob' },
  ])
  // Whose hold is not over all that is said in groups that they have left.
  await full.kickMember({ params: { guid: 'attic', uid: 'cid' } })
  const { data: hold } = await full.createHold({ body: { uid: 'cid', reason: 'Case' } })
  const before = await runs()
  await full.setRetention({ body: { days: 90, guid: 'attic' } })
  await ended(before)
  expect(await textsOf('attic')).toEqual(['kept', 'newer'])
  await full.releaseHold({ params: { holdId: hold.holdId } })
  await again()
  expect(await textsOf('attic')).toEqual(['newer'])
  const { data } = await full.listRetention()
  expect(data).toMatchObject([{ days: 30 }, { days: 90, guid: 'attic' }])
  const retentionId = data[1]?.retentionId ?? ''
  await full.deleteRetention({ params: { retentionId } })
  await again()
  expect(await textsOf('attic')).toEqual([])
  await full.setRetention({ body: { days: 500, uids: ['bob', 'ann'] } })
  expect((await full.listRetention()).data[1]).toMatchObject({ days: 500, uids: ['ann', 'bob'] })
})

test('a run goes on after its worker has died, and begins again where it was', async () => {
  const many = Array.from({ length: 900 }, (_, nth) => ({ text: `line ${nth}`, daysAgo: 70 }))
  const { data } = await full.listRetention()
  await full.deleteRetention({ params: { retentionId: data[0]?.retentionId ?? '' } })
  await sent('long', many)
  // A worker had done a part of it, and its lease has run out.
  await full.setRetention({ body: { days: 30 } })
  await expect
    .poll(async () => Number((await full.listRetentionRuns()).data[0]?.messages), {
      ...wait,
      interval: 1,
    })
    .toBeGreaterThan(0)
  await sql`
    update retention_runs set leased_until = 1, due_at = 1, attempt = 3
    where status <> 'done'`.execute(app.db)
  app.wake({ name: 'retention' })
  await expect.poll(() => textsOf('long'), wait).toEqual([])
  await expect.poll(async () => (await full.listRetentionRuns()).data[0]?.status, wait).toBe('done')
  expect((await full.listRetentionRuns()).data[0]?.messages).toBe(900)
})

test('what does not exist is refused', async () => {
  const set = (body: { guid?: string; uids?: string[] }) =>
    full.setRetention({ body: { days: 1, ...body } })
  await expect(set({ guid: 'nowhere' })).rejects.toMatchObject({ code: 'ERR_GUID_NOT_FOUND' })
  const uids = ['bob', 'nobody']
  await expect(set({ uids })).rejects.toMatchObject({ code: 'ERR_CONVERSATION_NOT_FOUND' })
  await expect(set({ uids: ['bob'] })).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  await expect(set({ guid: 'den', uids })).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  const none = full.deleteRetention({ params: { retentionId: '999' } })
  await expect(none).rejects.toMatchObject({ code: 'ERR_RETENTION_NOT_FOUND' })
})
