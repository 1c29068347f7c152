import type { ImportedConversation, imports } from '@chorale/contract/imports'
import type { ConversationKey } from '../../outbox/committed.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, WriteCtx } from '../../pipeline/handler.ts'
import { countUnread } from '../conversations/index.ts'
import { findGroupsToFill } from '../groups/index.ts'
import { findUserConversations } from '../log/index.ts'
import {
  findMark,
  findUnreadMark,
  lockPosition,
  type Mark,
  recordMoves,
  setRead,
  setTags,
} from '../log/participants/index.ts'
import { outcomeOf } from './outcomes.ts'

type Importing = Handlers<typeof imports>['importConversations']

export const importingConversations: Importing = async ({ body: { conversations } }, ctx) => {
  const items = Object.entries(conversations)
  const found = await findConversations(
    ctx,
    items.map(([, item]) => item),
  )
  const outcomes = new Map<string, { unreadMessageCount: number } | Failure>()
  // In one order: two calls of the same users do not wait for each other.
  for (const [key, item] of items.toSorted(([, a], [, b]) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const conversation = found(item)
    outcomes.set(key, conversation ? await place(ctx, conversation, item) : new Failure(notThere))
  }
  const data = items.map(([key]) => [key, outcomeOf(outcomes.get(key))])
  return { data: Object.fromEntries(data) }
}

const notThere = 'ERR_CONVERSATION_NOT_ACCESSIBLE'

function nameOf({ uid, conversationType, conversationWith }: ImportedConversation): string {
  return `${conversationType} ${conversationWith} ${uid}`
}

async function findConversations({ db }: WriteCtx, items: readonly ImportedConversation[]) {
  const pairs = items.flatMap((item) => (item.conversationType === 'user' ? pairOf(item) : []))
  const guids = items.flatMap(({ conversationType, conversationWith }) =>
    conversationType === 'group' ? conversationWith : [],
  )
  const users = await findUserConversations(db, pairs)
  const groups = await findGroupsToFill(db, [...new Set(guids)])
  return (item: ImportedConversation): ConversationKey | undefined => {
    if (item.conversationType === 'group') return groups.get(item.conversationWith)
    const { low, high } = pairOf(item)
    return users.get(`${low} ${high}`)
  }
}

function pairOf({ uid, conversationWith }: ImportedConversation) {
  const [low = '', high = ''] = [uid, conversationWith].sort()
  return { low, high }
}

/** A position from elsewhere may lie before the one that is here. */
async function place(
  ctx: WriteCtx,
  { bucket, key }: ConversationKey,
  item: ImportedConversation,
): Promise<{ unreadMessageCount: number } | Failure> {
  const conversation = { bucket, key }
  const { uid, readAt, tags } = item
  const before = await lockPosition(ctx.db, conversation, uid)
  if (!before) return new Failure(notThere)
  const unreadNow = async () => (await countUnread(ctx.db, uid, conversation))[0]?.count ?? 0
  if (saysUnreadOnly(item) && (await unreadNow()) === item.unreadMessageCount) {
    return { unreadMessageCount: item.unreadMessageCount }
  }
  const to = await markOf(ctx, conversation, item)
  if (to instanceof Failure) return to
  if (to) {
    await setRead(ctx.db, conversation, uid, to)
    if (readAt !== undefined && to.seq > 0) {
      await recordMoves(ctx.db, conversation, { uid, kind: 'read' }, [{ seq: to.seq, at: readAt }])
    }
  }
  if (tags) await setTags(ctx.db, conversation, uid, tags)
  return { unreadMessageCount: await unreadNow() }
}

/** Where it is so already, nothing has to be written. */
function saysUnreadOnly(
  item: ImportedConversation,
): item is ImportedConversation & { readonly unreadMessageCount: number } {
  const { unreadMessageCount, lastReadMessageId, readAt, tags } = item
  const others = [lastReadMessageId, readAt, tags]
  return unreadMessageCount !== undefined && others.every((one) => one === undefined)
}

async function markOf(
  { db }: WriteCtx,
  conversation: ConversationKey,
  { uid, lastReadMessageId: id, unreadMessageCount }: ImportedConversation,
): Promise<Mark | Failure | undefined> {
  if (id !== undefined) {
    const mark = await findMark(db, conversation, Number(id), 0)
    return mark ?? new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id })
  }
  if (unreadMessageCount === undefined) return undefined
  return findUnreadMark(db, conversation, uid, unreadMessageCount)
}
