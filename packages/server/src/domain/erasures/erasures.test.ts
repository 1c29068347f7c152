import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import { afterAll, expect, inject, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { plantSecrets } from '../../../../testing/src/erasures/planted.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'
import { enqueueErasures } from '../apps/erasure.sql.ts'
import { otherTables, ruledTables } from './tables.ts'

const prefix = natsPrefix()
const logged: string[] = []
const app = await startTestApp({
  shadow: false,
  logLine: (line) => logged.push(line.toLowerCase()),
  live: { listeners, settings: { NATS_PREFIX: prefix } },
})
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
const inGroup = { receiverType: 'group' } as const
const wait = { timeout: 30_000, interval: 50 }

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

/** Tables in which fewer rows have the words than before. The outbox empties by itself. */
async function fewerThan(before: Record<string, number>, words: string): Promise<string[]> {
  const now = await scan(words)
  const fewer = Object.entries(before).filter(([table, count]) => (now[table] ?? 0) < count)
  return fewer.map(([table]) => table).filter((table) => table !== 'outbox')
}

/** All rows of the app in which the words stand. */
async function textWith(words: string): Promise<string> {
  const texts: string[] = []
  for (const table of await tables()) {
    const { rows } = await sql<{ row: string }>`
      select lower(t::text) as row from ${sql.table(table)} t
      where t.app_id = ${app.appId} and strpos(lower(t::text), ${words}) > 0`.execute(app.db)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

/** Dead letters of the install. */
async function withLetters<T>(
  work: (write: (uid: string) => Promise<unknown>, count: () => Promise<number>) => Promise<T>,
): Promise<T> {
  const nats = await connect({ servers: inject('natsUrl') })
  try {
    const manager = await jetstreamManager(nats)
    const stream = `${prefix.replaceAll('.', '-')}-dead-letters`
    const letter = { listener: 'test', subject: 'a.b.c', appId: app.appId, error: '', at: 1 }
    const write = (uid: string) =>
      jetstream(nats).publish(
        `${prefix}-dead.test`,
        JSON.stringify({
          ...letter,
          event: { name: 'user.updated', payload: { uid, a: 'secret' } },
        }),
      )
    return await work(write, async () => (await manager.streams.info(stream)).state.messages)
  } finally {
    await nats.close()
  }
}

async function done(erasureId: string) {
  const read = async () => (await full.getErasure({ params: { erasureId } })).data
  await expect.poll(async () => (await read()).status, wait).toBe('done')
  return await read()
}

test('every table of an app is walked, or has a reason why not', async () => {
  const known = [...Object.keys(ruledTables), ...Object.keys(otherTables)]
  expect(known.toSorted()).toEqual(await tables())
})

/** What the stream of events has. */
async function streamText(): Promise<string> {
  const nats = await connect({ servers: inject('natsUrl') })
  try {
    const stream = `${prefix.replaceAll('.', '-')}-events`
    const manager = await jetstreamManager(nats)
    const { state } = await manager.streams.info(stream)
    const consumer = await jetstream(nats).consumers.get(stream)
    const texts: string[] = []
    const wanted = { max_messages: state.messages, expires: 5000 }
    for await (const message of await consumer.fetch(wanted)) texts.push(message.string())
    return texts.join('\n').toLowerCase()
  } finally {
    await nats.close()
  }
}

/** Names and bytes of the files that are stored. */
async function storedFiles(): Promise<string> {
  const found = await readdir(app.filesFolder, { recursive: true, withFileTypes: true })
  const files = found.filter((one) => one.isFile())
  const texts = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    return `${path} ${await readFile(path, 'utf8')}`
  })
  return (await Promise.all(texts)).join('\n').toLowerCase()
}

test('50 words that a user has left are found in no table, event or file afterwards, and in no log line ever', async () => {
  await app.given.users('bob', 'eve')
  for (const guid of ['den', 'left']) await app.given.group(guid)
  const webhook = { id: 'hook', name: 'Hook', webhookURL: 'https://x.example/hook', enabled: true }
  const params = { appId: app.appId }
  const headers = { 'X-Webhook-Version': 2 }
  await full.createWebhook({ params, headers, body: webhook })
  await full.addWebhookTriggers({
    params: { ...params, webhookId: 'hook' },
    headers,
    body: { triggerIds: ['message_sent'] },
  })
  const { words } = await plantSecrets(app, 'vic')
  await expect
    .poll(async () => Object.keys(await scan('secret')), wait)
    .toContain('webhook_deliveries')
  const stored = await textWith('secret')
  const hidden = [...words].flatMap(([word, where]) => (stored.includes(word) ? [] : [where]))
  expect([words.size, hidden]).toEqual([50, []])
  const hashes = () =>
    sql`
    select from entry_words w join entries e on e.bucket = w.bucket
      and e.conversation_key = w.conversation_key and e.id = w.id
    where e.app_id = ${app.appId} and w.words <> '{}'
      and (e.sender = 'vic' or e.sender like 'erased-%')`.execute(app.db)
  await expect.poll(async () => (await hashes()).rows.length, wait).toBeGreaterThan(9)
  expect(await streamText()).toContain('secret')
  expect(await storedFiles()).toContain('secret')

  await withLetters(async (write) => {
    await write('vic')
    await write('bob')
  })
  const before = await scan('secret')
  const { data: hold } = await full.createHold({ body: { uid: 'vic', reason: 'Case' } })
  const refused = full.eraseUser({ body: { uid: 'vic' } })
  await expect(refused).rejects.toMatchObject({ code: 'ERR_UNDER_HOLD' })
  expect(await fewerThan(before, 'secret')).toEqual([])
  expect(await storedFiles()).toContain('secret')
  await full.releaseHold({ params: { holdId: hold.holdId } })
  const { data } = await full.eraseUser({ body: { uid: 'vic' } })
  expect((await full.eraseUser({ body: { uid: 'vic' } })).data.erasureId).toBe(data.erasureId)
  const erasure = await done(data.erasureId)
  await expect.poll(async () => await scan('vic'), wait).not.toHaveProperty('outbox')
  expect(await withLetters((_, count) => count())).toBe(1)
  expect(await scan('secret')).toEqual({})
  await expect.poll(storedFiles, wait).not.toContain('secret')
  expect(logged.length).toBeGreaterThan(50)
  expect(logged.filter((line) => line.includes('secret'))).toEqual([])
  expect((await hashes()).rows.length).toBe(0)
  const events = await streamText()
  expect(events).not.toContain('secret')
  // What says that the user is gone stays.
  expect(events.match(/[^\n]*"vic"[^\n]*/g)).toEqual([expect.stringContaining('user.deleted')])
  expect(events).toContain('"bob"')
  expect(Object.keys(await scan('"vic"'))).toEqual([])
  const named = Object.keys(await scan('vic'))
  expect(named.filter((table) => !(table in otherTables))).toEqual([])
  expect(erasure.erased.reactions).toBe(1)
  expect(erasure.erased.messages).toBeGreaterThanOrEqual(12)
  expect(erasure.erased.mentions).toBeGreaterThan(0)

  const { data: page } = await full.listGroupMessages({
    params: { guid: 'den' },
    onBehalfOf: 'bob',
  })
  const mention = page.find((row) => 'sender' in row && row.sender === 'bob')
  expect(mention).toMatchObject({ data: { text: `hi <@uid:${erasure.pseudonym}>` } })
  expect(JSON.stringify(page)).not.toContain('secret')
  const { data: found } = await full.listMessages({ query: { searchKey: 'secret' } })
  expect(found).toEqual([])
})

test('a hold keeps what a user and a group have said, until it is released', async () => {
  await app.given.users('ida', 'jon')
  await app.given.group('case')
  await full.addMembers({ params: { guid: 'case' }, body: { participants: ['ida', 'jon'] } })
  const { id } = await message('ida', 'case', { ...inGroup, data: { text: 'evidence' } })
  await message('ida', 'jon', { data: { text: 'evidence' } })
  const refused = { code: 'ERR_UNDER_HOLD', status: 409 }

  const { data: ofIda } = await full.createHold({ body: { uid: 'ida', reason: 'Case 1' } })
  const erase = (uid: string) => full.eraseUser({ body: { uid } })
  await expect(erase('ida')).rejects.toMatchObject(refused)
  // With jon their conversation would go.
  await expect(erase('jon')).rejects.toMatchObject(refused)
  const forEver = { params: { uid: 'ida' }, body: { permanent: true } }
  await expect(full.deleteUser(forEver)).rejects.toMatchObject(refused)
  await expect(full.deleteGroup({ params: { guid: 'case' } })).rejects.toMatchObject(refused)
  await full.deleteMessage({ params: { id }, onBehalfOf: 'ida', body: { permanent: true } })
  expect(await scan('evidence')).toMatchObject({ entries: 2 })
  await full.releaseHold({ params: { holdId: ofIda.holdId } })

  // She has left the group, whose own hold keeps what she said there.
  await full.kickMember({ params: { guid: 'case', uid: 'ida' } })
  const { data: ofCase } = await full.createHold({ body: { guid: 'case', reason: 'Case 2' } })
  expect((await full.listHolds()).data).toEqual([ofCase])
  const { erasureId } = (await erase('ida')).data
  const read = async () => (await full.getErasure({ params: { erasureId } })).data
  await expect.poll(async () => (await read()).status, wait).toBe('held')
  expect((await read()).held).toBeGreaterThan(0)
  expect(await scan('evidence')).toMatchObject({ entries: 1 })
  await full.releaseHold({ params: { holdId: ofCase.holdId } })
  await sql`update user_erasures set due_at = 0`.execute(app.db)
  app.wake({ name: 'erasures of users' })
  await done(erasureId)
  expect(await scan('evidence')).toEqual({})
  expect((await full.listErasures()).data.map(({ uid }) => uid)).toEqual(['ida', 'vic'])
})

test('an archived app with a hold is not erased', async () => {
  const keys = await app.anotherApp()
  const other = app.client(keys, 'full')
  await other.createUser({ body: { uid: 'ann', name: 'Ann' } })
  const { data } = await other.createHold({ body: { uid: 'ann', reason: 'Case' } })
  await sql`update apps set archived_at = 1, delete_at = 1 where app_id = ${keys.appId}`.execute(
    app.db,
  )
  const enqueued = async () => {
    await enqueueErasures(app.db, 2)
    const { rows } = await sql`
      select from app_erasures where app_id = ${keys.appId}`.execute(app.db)
    return rows.length
  }
  expect(await enqueued()).toBe(0)
  await sql`delete from legal_holds where hold_id = ${data.holdId}`.execute(app.db)
  expect(await enqueued()).toBe(1)
})

test('what does not exist, and what must stay, is refused', async () => {
  const none = { params: { holdId: '999', erasureId: '999' } }
  await expect(full.releaseHold(none)).rejects.toMatchObject({ code: 'ERR_HOLD_NOT_FOUND' })
  await expect(full.getErasure(none)).rejects.toMatchObject({ code: 'ERR_ERASURE_NOT_FOUND' })
  const reason = 'Case'
  const hold = (body: { uid?: string; guid?: string }) =>
    full.createHold({ body: { ...body, reason } })
  await expect(hold({ uid: 'nobody' })).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  await expect(hold({ guid: 'nowhere' })).rejects.toMatchObject({ code: 'ERR_GUID_NOT_FOUND' })
  await expect(hold({})).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
  const system = full.eraseUser({ body: { uid: 'app_system' } })
  await expect(system).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' })
})
