import type { Conversation, conversations } from '@chorale/contract/conversations'
import { cursorOf, type Key, paginationOf } from '../../database/keyset.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { afterOf } from '../../pipeline/paging.ts'
import { RawJson, rawData, rawList, rawObject } from '../../pipeline/raw-json.ts'
import type { Receiver } from '../../realtime/ports.ts'
import {
  findUserConversation,
  lockHead,
  lockPosition,
  resetFor,
  setTags,
} from '../log/participants/index.ts'
import { conversationIdOf, sortName } from '../users/index.ts'
import {
  groupConversationId,
  loadCounterparts,
  profilesIn,
  serialiseEntries,
} from '../views/index.ts'
import { findGroupConversation, isGroupAdmin } from './access.sql.ts'
import { accessGroupConversation, accessUserConversation, actorOf } from './access.ts'
import { type ConversationRow, findConversation, listConversations } from './conversations.sql.ts'
import { pairsOf } from './labels.ts'

const systemUid = 'app_system'

export const conversationHandlers: Handlers<typeof conversations> = {
  async listConversations({ query }, ctx) {
    const uid = ctx.actor?.uid
    const after = afterOf(query, [uid === undefined ? 'string' : 'number', 'number'])
    const filter = {
      uid,
      kind: query.conversationType,
      search: query.searchKey === undefined ? undefined : sortName(query.searchKey),
      tags: query.tags,
      userTags: query.userTags,
      groupTags: query.groupTags,
      includeBlockedUsers: query.includeBlockedUsers,
      unreadOnly: query.unread ?? false,
    }
    const rows = await listConversations(ctx.db, filter, { ...query, after })
    const last = rows.at(-1)
    const key: Key | undefined =
      last && (uid === undefined ? [last.uid, last.key] : [last.updatedAt, last.key])
    const meta = {
      pagination: paginationOf(query, rows.length, 0),
      cursor: cursorOf(query, rows, last && key && { key, updatedAt: last.updatedAt }),
    }
    return new RawJson(rawObject({ meta }, { data: await printed(ctx, rows, query) }))
  },

  async getConversation({ params: { conversationId } }, ctx) {
    const row = await findByLabel(ctx, conversationId.toLowerCase())
    if (!row) throw new Failure('ERR_CONVERSATION_NOT_FOUND', { conversationId })
    return rawData(await printed(ctx, [row], everything))
  },

  async deleteConversation({ params: { conversationId } }, ctx) {
    const label = conversationId.toLowerCase()
    const found = ctx.actor ? await deletable(ctx, label) : await findForApp(ctx, label)
    if (!found) throw new Failure('ERR_CONVERSATION_NOT_FOUND', { conversationId })
    const { bucket, key } = found
    await lockHead(ctx.db, found)
    await resetFor(ctx.db, found, 'all')
    const uid = ctx.actor?.uid ?? systemUid
    await ctx.outbox.append('conversation.deleted', { bucket, key, uid })
    return { data: { success: true, message: 'The conversation is deleted for all its users.' } }
  },

  async getUserConversation({ params }, ctx) {
    return one(ctx, await accessUserConversation(ctx, params.uid))
  },

  async updateUserConversation({ params, body }, ctx) {
    return tag(ctx, await accessUserConversation(ctx, params.uid), body.tags)
  },

  async resetUserConversation({ params }, ctx) {
    return reset(ctx, await accessUserConversation(ctx, params.uid))
  },

  async getGroupConversation({ params }, ctx) {
    return one(ctx, await accessGroupConversation(ctx, params.guid))
  },

  async updateGroupConversation({ params, body }, ctx) {
    return tag(ctx, await accessGroupConversation(ctx, params.guid), body.tags)
  },

  async resetGroupConversation({ params }, ctx) {
    return reset(ctx, await accessGroupConversation(ctx, params.guid))
  },
}

interface View {
  readonly withTags?: boolean | undefined
  readonly withUserAndGroupTags?: boolean | undefined
  readonly withBlockedInfo: boolean
}

/** Of a single conversation everything is shown. */
const everything: View = { withTags: true, withUserAndGroupTags: true, withBlockedInfo: true }

type One = RawJson<{ data: Conversation[] }>

async function one(ctx: ReadCtx, conversation: ConversationKey): Promise<One> {
  const row = await findConversation(ctx.db, conversation, actorOf(ctx).uid)
  if (!row) throw new Failure('ERR_CONVERSATION_NOT_ACCESSIBLE')
  return rawData(await printed(ctx, [row], everything))
}

/** Tags are the acting user's own; the new list takes the place of the old. */
async function tag(
  ctx: WriteCtx,
  conversation: ConversationKey,
  tags: string[] | undefined,
): Promise<One> {
  if (tags) await setTags(ctx.db, conversation, actorOf(ctx).uid, tags)
  return one(ctx, conversation)
}

async function reset(ctx: WriteCtx, conversation: ConversationKey) {
  const { uid } = actorOf(ctx)
  await lockPosition(ctx.db, conversation, uid)
  await resetFor(ctx.db, conversation, uid)
  await ctx.outbox.append('conversation.reset', { ...conversation, uid })
  return { data: { success: true, message: `The conversation is deleted for ${uid}.` } }
}

/**
 * A label may stand for several conversations; the first that the viewer has is meant. Between two
 * users first: the app gives out their ids, while any device may choose that of a group.
 */
async function findByLabel(ctx: ReadCtx, label: string): Promise<ConversationRow | undefined> {
  const { uid: viewer } = actorOf(ctx)
  const keys = [
    ...(await Promise.all(
      pairsOf(label, viewer).map(([other]) => findUserConversation(ctx.db, viewer, other)),
    )),
    label.startsWith('group_') ? await findGroupConversation(ctx.db, label.slice(6)) : undefined,
  ]
  for (const key of keys) {
    const row = key && (await findConversation(ctx.db, key, viewer))
    if (row) return row
  }
  return undefined
}

/** The server of the app may delete any, whoever takes part in it. */
async function findForApp({ db }: ReadCtx, label: string): Promise<ConversationKey | undefined> {
  for (const [low, high] of pairsOf(label, undefined)) {
    const found = await findUserConversation(db, low, high)
    if (found) return found
  }
  return label.startsWith('group_') ? findGroupConversation(db, label.slice(6)) : undefined
}

/** One of the acting user, who may take it from the others. */
async function deletable(ctx: ReadCtx, label: string): Promise<ConversationKey | undefined> {
  const row = await findByLabel(ctx, label)
  const guid = row?.withGuid ?? undefined
  if (!row || guid === undefined) return row
  if (!(await isGroupAdmin(ctx.db, guid, row.uid))) throw new Failure('ERR_GROUP_NO_ADMIN_SCOPE')
  if (ctx.actor?.restrictedFeatures.includes('deleteGroupMessages')) {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'the feature deleteGroupMessages' })
  }
  return row
}

/** A list of conversations as JSON text. */
async function printed(
  ctx: ReadCtx,
  rows: readonly ConversationRow[],
  view: View,
): Promise<string> {
  const people = profilesIn(ctx.db)
  const last = rows.flatMap((row) =>
    row.last ? [{ row: row.last, receiver: receiverOf(row) }] : [],
  )
  const viewer = ctx.actor?.uid
  const others = {
    uids: rows.flatMap(({ withUid }) => withUid ?? []),
    guids: rows.flatMap(({ withGuid }) => withGuid ?? []),
    blocks: view.withBlockedInfo !== false,
  }
  const as = await loadCounterparts(people, others, viewer)
  const seen = as({ withTags: view.withUserAndGroupTags, withBlocks: view.withBlockedInfo })
  const messages = await serialiseEntries(ctx.db, people, last, {
    viewer,
    addresses: ctx.addresses,
  })
  const messageOf = new Map(last.map(({ row }, place) => [row, messages[place]]))
  return rawList(
    rows.flatMap((row) => {
      const { withUid, withGuid } = row
      const other = withGuid === null ? seen.userText(withUid ?? '') : seen.groupText(withGuid)
      if (!other) return []
      const conversation = {
        conversationId: labelOf(row),
        conversationType: withGuid === null ? 'user' : 'group',
        ...(ctx.actor ? {} : { uid: row.uid }),
        unreadMessageCount: String(row.unread),
        createdAt: row.createdAt,
        updatedAt: row.updatedAt,
        ...(view.withTags && row.tags && { tags: row.tags }),
      }
      const lastMessage = row.last ? messageOf.get(row.last) : undefined
      return rawObject(conversation, { lastMessage, conversationWith: other })
    }),
  )
}

function receiverOf({ uid, withUid, withGuid }: ConversationRow): Receiver {
  return withGuid === null
    ? { kind: 'user', uids: [uid, withUid ?? ''] }
    : { kind: 'group', guid: withGuid }
}

function labelOf({ uid, withUid, withGuid }: ConversationRow): string {
  return withGuid === null ? conversationIdOf(uid, withUid ?? '') : groupConversationId(withGuid)
}
