import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { sql } from 'kysely'
import { afterAll, expect, inject, test } from 'vitest'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { listeners } from '../../listeners.ts'
import { enqueueErasures } from '../apps/erasure.sql.ts'
import { otherTables, ruledTables } from './tables.ts'

const prefix = natsPrefix()
const app = await startTestApp({
  shadow: false,
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
        JSON.stringify({ ...letter, event: { name: 'user.updated', payload: { uid } } }),
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

/** In every place that a user can fill. All carry the word `secret`. */
async function plant(uid: string): Promise<void> {
  const more = { avatar: 'https://x.example/secret.png', link: 'https://x.example/secret' }
  await app.given.user(uid, { name: 'Secret Name', ...more, metadata: { a: 'secret' } })
  await full.updateUser({ params: { uid }, body: { statusMessage: 'secret status' } })
  await full.updateUser({ params: { uid }, body: { tags: ['secret-tag'] } })
  await full.addMembers({ params: { guid: 'den' }, body: { participants: [uid, 'bob'] } })
  const text = { ...inGroup, data: { text: 'a secret text' }, muid: 'secret-muid' }
  const { id } = await message(uid, 'den', text)
  await full.editMessage({
    params: { id },
    onBehalfOf: uid,
    body: { data: { text: 'secret, new' } },
  })
  const file = { name: 'secret.pdf', url: 'https://x.example/secret.pdf', mimeType: 'text/plain' }
  await message(uid, 'den', {
    ...inGroup,
    type: 'file',
    data: { attachments: [{ ...file, extension: 'pdf', size: 1 }], metadata: { b: 'secret' } },
    tags: ['secret'],
  })
  await message(uid, 'bob', { data: { text: 'secret to one' } })
  const { id: bobs } = await message('bob', 'den', {
    ...inGroup,
    data: { text: `hi <@uid:${uid}>` },
  })
  await full.addReaction({ params: { id: bobs, reaction: 'secret' }, onBehalfOf: uid })
  await full.addReaction({ params: { id: bobs, reaction: 'up' }, onBehalfOf: 'bob' })
  await full.changeMemberScope({ params: { guid: 'den', uid }, body: { scope: 'moderator' } })
  await full.pinMessage({ params: { id: bobs }, onBehalfOf: uid })
  await full.saveMessage({ params: { id: bobs }, onBehalfOf: uid })
  const reply = { data: { text: 'a secret reply' } }
  await full.replyToMessage({ params: { id: bobs }, onBehalfOf: uid, body: reply })
  const report = { reasonId: 'harassment', remark: 'secret remark' }
  await full.flagMessage({ params: { id: bobs }, onBehalfOf: uid, body: report })
  await full.flagMessage({ params: { id }, onBehalfOf: 'bob', body: { reasonId: 'harassment' } })
  await full.updateContactDetails({ onBehalfOf: uid, body: { email: 'secret@x.example' } })
  const submitted = {
    sender: uid,
    receiver: 'bob',
    receiverType: 'user',
    data: { text: 'secret' },
  } as const
  await full.submitMessage({
    body: { ...submitted, muid: 'secret-s', category: 'message', type: 'text' },
  })
  const { authToken } = await app.device(uid)
  await full.registerPushToken({
    onBehalfOf: uid,
    body: { platform: 'fcm_android', fcmToken: 'secret-push', authToken },
  })
  await full.blockUsers({ params: { uid }, body: { blockedUids: ['eve'] } })
}

test('what a user has left is found in no table afterwards', async () => {
  await app.given.users('bob', 'eve')
  await app.given.group('den')
  const webhook = { id: 'hook', name: 'Hook', webhookURL: 'https://x.example/hook', enabled: true }
  const params = { appId: app.appId }
  const headers = { 'X-Webhook-Version': 2 }
  await full.createWebhook({ params, headers, body: webhook })
  await full.addWebhookTriggers({
    params: { ...params, webhookId: 'hook' },
    headers,
    body: { triggerIds: ['message_sent'] },
  })
  await plant('vic')
  await expect
    .poll(async () => Object.keys(await scan('secret')), wait)
    .toContain('webhook_deliveries')
  expect(Object.keys(await scan('secret')).length).toBeGreaterThan(8)

  await withLetters(async (write) => {
    await write('vic')
    await write('bob')
  })
  const { data } = await full.eraseUser({ body: { uid: 'vic' } })
  expect((await full.eraseUser({ body: { uid: 'vic' } })).data.erasureId).toBe(data.erasureId)
  const erasure = await done(data.erasureId)
  expect(await withLetters((_, count) => count())).toBe(1)
  expect(await scan('secret')).toEqual({})
  expect(Object.keys(await scan('"vic"'))).toEqual([])
  const named = Object.keys(await scan('vic'))
  expect(named.filter((table) => !(table in otherTables))).toEqual([])
  expect(erasure.erased).toMatchObject({ messages: 4, reactions: 1 })
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
