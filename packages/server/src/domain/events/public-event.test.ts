import { Event } from '@chorale/contract/events'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { storageKeysIn } from '../../../../testing/src/network/storage-keys.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import type { EventName, Events } from '../../outbox/events.ts'
import type { HeardEvent } from '../../outbox/listener.ts'
import { publicEvents } from './public-event.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
await app.given.users('ann', 'bob')
const { id: parent } = await app.given.message('ann', 'bob')
await app.given.group('club', { owner: 'ann' })
const { data: group } = await app.as('full').getGroup({ params: { guid: 'club' } })
const [row] = (
  await sql<{ bucket: number; key: number; seq: number; id: number }>`
    select bucket, conversation_key as key, seq, id from entries where id = ${parent}`.execute(
    app.db,
  )
).rows
if (!row) throw new Error('The message is not stored.')
const { bucket, key } = row
const uid = 'bob'
const touched = { ...row, uid }
const reaction = { ...touched, reaction: '👍', reactionId: 7, reactedAt: 100 }
const friends = { uid, friends: ['ann'] }
const blocked = { uid, blockedUids: ['ann'] }

/** One of each name: a name without a sample does not compile. */
const samples: { readonly [N in EventName]: Events[N] } = {
  'message.fileChecked': { ...row, uploadId: 'one', state: 'ready' },
  'user.created': { uid },
  'user.updated': { uid },
  'user.deactivated': { uid },
  'user.reactivated': { uid },
  'user.deleted': { uid },
  'user.connectionStatusChanged': { uid, status: 'available', lastActiveAt: 100 },
  'friends.added': friends,
  'friends.removed': friends,
  'user.blocked': blocked,
  'user.unblocked': blocked,
  'role.created': { role: 'default' },
  'role.updated': { role: 'default' },
  'issuer.updated': { issuerId: 'login' },
  'issuer.deleted': { issuerId: 'login' },
  'role.deleted': { role: 'default' },
  'role.featuresRestricted': { role: 'default', features: ['sendMessage'] },
  'role.featuresAllowed': { role: 'default', features: ['sendMessage'] },
  'role.permissionsSet': { role: 'default', permissions: {} },
  'group.created': { guid: 'club' },
  'group.updated': { guid: 'club' },
  'group.deleted': { guid: 'club', bucket, key, group },
  'group.ownerChanged': { guid: 'club', owner: 'bob', oldOwner: 'ann' },
  'group.scopePermissionsSet': { guid: 'club', scope: 'admin', permissions: {} },
  'entry.appended': {
    bucket,
    key,
    seq: 2,
    id: 4711,
    sender: 'bob',
    category: 'message',
    type: 'text',
    muid: 'm',
    parentSeq: row.seq,
    data: { text: 'hello' },
    extra: { tags: ['a'], mentions: ['ann'], quoted: row.id, parent: row.id, unseen: ['x'] },
    caught: 'withheld',
  },
  'entry.imported': {
    ...row,
    sender: 'bob',
    category: 'message',
    type: 'text',
    muid: 'i',
    data: { text: 'from elsewhere' },
    extra: { imported: true },
  },
  'message.blocked': { ...row, by: 'rule' },
  'message.flagged': { ...touched, by: 'user' },
  'message.approved': { ...row, by: 'moderator', blockedId: 9 },
  'message.moderationFailed': { ...row, failures: [{ list: 'l', error: 'It timed out.' }] },
  'submission.moderated': { id: 12, revision: 1, status: 'approved', by: 'rules' },
  'message.edited': touched,
  'message.deleted': touched,
  'conversation.started': { bucket, key, uids: ['ann', 'bob'] },
  'conversation.delivered': { bucket, key, uid, seq: row.seq },
  'conversation.read': { bucket, key, uid, seq: row.seq },
  'conversation.unread': { bucket, key, uid, seq: row.seq },
  'conversation.reset': { bucket, key, uid },
  'conversation.deleted': { bucket, key, uid },
  'message.reactionAdded': reaction,
  'message.reactionRemoved': reaction,
  'message.interacted': { ...touched, elementIds: ['e'] },
  'message.interactionGoalCompleted': touched,
  'message.pinned': touched,
  'message.unpinned': touched,
  'message.saved': touched,
  'message.unsaved': touched,
  'thread.subscribed': touched,
  'thread.unsubscribed': touched,
  'rule.saved': { ruleId: 'r', revisionId: 'r_1' },
  'rule.deleted': { ruleId: 'r' },
  'keywordList.saved': { keywordId: 'k', revisionId: 'k_1' },
  'keywordList.deleted': { keywordId: 'k' },
  'reason.saved': { reasonId: 'r' },
  'reason.deleted': { reasonId: 'r' },
  'authTokens.revoked': { uid },
  'app.archived': { deleteAt: 100 },
  'app.settingsChanged': { keys: ['webhooks'] },
  'webhook.disabled': { webhookId: 'w', failingSince: 100 },
}
// Pairs of a name and its payload, which the table above has typed.
const stored = Object.entries(samples).map(
  ([name, payload], index) => ({ id: `event-${index}`, name, at: 100, payload }) as HeardEvent,
)
const shown = await publicEvents({ appId: app.appId, db: app.db }, stored)
const of = (type: Event['type']) => shown.find((event) => event.type === type)
const inChat = { conversationId: 'ann_user_bob', receiverType: 'user' }

/** The schema, with every property that it does not name forbidden. */
function strict(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map(strict)
  const inner = Object.entries(schema).map(([name, item]) => [name, strict(item)])
  const closed = 'properties' in schema ? [['additionalProperties', false]] : []
  return Object.fromEntries([...inner, ...closed])
}

test('every stored event has a public form that is exactly as the contract says', () => {
  const ajv = new Ajv2020({ strict: false })
  const check = ajv.compile(Object(strict(Event)))
  for (const event of shown) expect(check(event), JSON.stringify(event)).toBe(true)
  const types = Event.anyOf.map(({ properties }) => properties.type.const)
  expect(shown.map(({ type }) => type).toSorted()).toEqual(types.toSorted())
})

test('no public event shows how something is stored', () => {
  expect(storageKeysIn(stored).length).toBeGreaterThan(50)
  expect(storageKeysIn(shown)).toEqual([])
})

test('a message that was sent names its conversation, its receiver and its parent', () => {
  expect(of('message.sent')).toEqual({
    id: expect.any(String),
    type: 'message.sent',
    at: 100,
    actor: 'bob',
    ...inChat,
    receiver: 'ann',
    messageId: '4711',
    data: {
      message: {
        category: 'message',
        type: 'text',
        muid: 'm',
        parentId: parent,
        quotedMessageId: parent,
        tags: ['a'],
        mentions: ['ann'],
        data: { text: 'hello' },
      },
      moderation: 'hidden',
    },
  })
})

test('an event about a message names the receiver of the message, one about a conversation the other user', () => {
  const message = { ...inChat, actor: 'bob', receiver: 'bob', messageId: parent }
  expect(of('message.reactionAdded')).toMatchObject({ ...message, data: { reactionId: '7' } })
  expect(of('message.approved')).toMatchObject({ receiver: 'bob', messageId: parent })
  expect(of('message.approved')).not.toHaveProperty('actor')
  const read = { ...inChat, actor: 'bob', receiver: 'ann', messageId: parent, data: {} }
  expect(of('conversation.read')).toMatchObject(read)
  expect(of('conversation.started')).toMatchObject({ ...inChat, receiver: 'bob' })
})

test('an event about a group names the group, also when the group is deleted', () => {
  const club = { conversationId: 'group_club', receiver: 'club', receiverType: 'group' }
  expect(of('group.updated')).toMatchObject(club)
  expect(of('group.deleted')).toMatchObject({ ...club, data: { guid: 'club', group } })
})

test('a page of events costs one statement', async () => {
  let statements = 0
  const counting = app.db.withPlugin({
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await publicEvents({ appId: app.appId, db: counting }, [...stored, ...stored])
  expect(statements).toBe(1)
})
