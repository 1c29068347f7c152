import type { positions } from '@chorale/contract/conversations'
import type { ConversationKey } from '../../outbox/committed.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import {
  findHead,
  findMark,
  lockPosition,
  type Mark,
  type Position,
  recordMoves,
  setDelivered,
  setRead,
} from '../log/participants/index.ts'
import { accessGroupConversation, accessUserConversation, actorOf } from './access.ts'

type MessageId = string | number | undefined

export const positionHandlers: Handlers<typeof positions> = {
  async markUserConversationDelivered({ params, body }, ctx) {
    await markDelivered(ctx, await accessUserConversation(ctx, params.uid), body.messageId)
    return done('delivered')
  },
  async markUserConversationRead({ params, body }, ctx) {
    await markRead(ctx, await accessUserConversation(ctx, params.uid), body.messageId)
    return done('read')
  },
  async markUserConversationUnread({ params, body }, ctx) {
    await markUnread(ctx, await accessUserConversation(ctx, params.uid), body.messageId)
    return done('unread')
  },
  async markGroupConversationDelivered({ params, body }, ctx) {
    await markDelivered(ctx, await accessGroupConversation(ctx, params.guid), body.messageId)
    return done('delivered')
  },
  async markGroupConversationRead({ params, body }, ctx) {
    await markRead(ctx, await accessGroupConversation(ctx, params.guid), body.messageId)
    return done('read')
  },
  async markGroupConversationUnread({ params, body }, ctx) {
    await markUnread(ctx, await accessGroupConversation(ctx, params.guid), body.messageId)
    return done('unread')
  },
}

function done(what: string) {
  const message = `The messages are marked as ${what}.`
  return { data: { success: true, message, Message: message } }
}

async function markDelivered(ctx: WriteCtx, conversation: ConversationKey, messageId: MessageId) {
  const { uid } = actorOf(ctx)
  const position = await lockPosition(ctx.db, conversation, uid)
  const to = await markOf(ctx, conversation, position, messageId)
  if (!position || to.seq <= position.deliveredSeq) return
  await setDelivered(ctx.db, conversation, uid, to)
  await recordMoves(ctx.db, conversation, { uid, kind: 'delivered' }, [
    { seq: to.seq, at: ctx.now },
  ])
  await ctx.outbox.append('conversation.delivered', { ...conversation, uid, seq: to.seq })
}

/** Only ever forward; back is `markUnread`. */
async function markRead(ctx: WriteCtx, conversation: ConversationKey, messageId: MessageId) {
  const { uid } = actorOf(ctx)
  const position = await lockPosition(ctx.db, conversation, uid)
  const to = await markOf(ctx, conversation, position, messageId)
  if (!position || to.seq <= position.readSeq) return
  await setRead(ctx.db, conversation, uid, to)
  await recordMoves(ctx.db, conversation, { uid, kind: 'read' }, [{ seq: to.seq, at: ctx.now }])
  await ctx.outbox.append('conversation.read', { ...conversation, uid, seq: to.seq })
}

/** What comes behind the message counts as unread again. */
async function markUnread(ctx: WriteCtx, conversation: ConversationKey, messageId: MessageId) {
  const { uid } = actorOf(ctx)
  const position = await lockPosition(ctx.db, conversation, uid)
  const to = await markOf(ctx, conversation, position, messageId)
  await setRead(ctx.db, conversation, uid, to)
  await ctx.outbox.append('conversation.unread', { ...conversation, uid, seq: to.seq })
}

async function markOf(
  ctx: ReadCtx,
  conversation: ConversationKey,
  position: Position | undefined,
  messageId: MessageId,
): Promise<Mark> {
  if (messageId === undefined) return findHead(ctx.db, conversation)
  const id = Number(messageId)
  const mark = await findMark(ctx.db, conversation, id, position?.resetSeq ?? 0)
  if (!mark) throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id: messageId })
  return mark
}
