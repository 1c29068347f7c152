import type { Batcher } from '../../../database/batcher.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import { requireLookedUp } from '../../../pipeline/failure.ts'
import type { AppendCtx, ReadCtx } from '../../../pipeline/handler.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { messageFiles } from '../../files/index.ts'
import type { Verdict } from '../../log/entries/index.ts'
import type { AppendAddition, Appended, NewEntry } from '../../log/index.ts'
import { ensureUserConversation } from '../../log/participants/index.ts'
import { pendingClassifications } from '../../rules/classifiers/index.ts'
import { replyCounts, subscribeByReply } from '../threads.sql.ts'
import type { Content, Outgoing } from './content.ts'
import type { Moderated } from './moderation.ts'
import type { Recipient } from './recipient.ts'

/** What is written with the messages of a batch. */
export const appendAdditions: readonly AppendAddition[] = [
  replyCounts,
  pendingClassifications,
  messageFiles,
]

/** Where the message is, and whether it was there before. */
export interface Stored {
  readonly conversation: ConversationKey
  readonly placed: Appended
}

/** A step of a send: the message joins the batch that fills, and is in the log when that is committed. */
export async function append(
  batcher: Batcher<NewEntry, Appended>,
  { ctx, content, parent }: Outgoing,
  recipient: Recipient,
  moderated: Moderated,
): Promise<Stored> {
  const { receiver, expected, conversation: known } = recipient
  if (!known || parent) requireLookedUp(ctx)
  const conversation = known ?? (await startConversation(ctx, receiver))
  const { sender, category, type, muid } = moderated.said
  // First, so that no reply is stored whose sender does not follow the thread.
  if (parent) await subscribeByReply(ctx.db, parent.row, sender)
  const counts = !parent && countsAsUnread(content)
  const shows = updatesLastMessage(ctx, content, parent !== undefined)
  const stored = storedAs(moderated, { counts, shows })
  const placed = await batcher.add({
    bucket: conversation.bucket,
    key: conversation.key,
    appId: ctx.db.appId,
    sender,
    category,
    type,
    muid,
    parentSeq: parent?.row.seq,
    expected,
    people: recipient,
    namesFiles: content.files && true,
    data: stored.data,
    extra: stored.extra,
    counts: stored.counts,
    shows: stored.shows,
    verdict: stored.verdict,
    awaitsClassifier: stored.awaitsClassifier,
  })
  return { conversation, placed }
}

function startConversation(ctx: AppendCtx, receiver: Receiver): Promise<ConversationKey> {
  if (receiver.kind === 'group') throw new Error('A group has its conversation from the start.')
  const [a, b] = receiver.uids
  return ctx.inTransaction(async ({ db, outbox, now }) => {
    const { bucket, key, made } = await ensureUserConversation(db, a, b, now)
    if (made) await outbox.append('conversation.started', { bucket, key, uids: [a, b] })
    return { bucket, key }
  })
}

type StoredFields = Pick<
  NewEntry,
  'data' | 'extra' | 'counts' | 'shows' | 'verdict' | 'awaitsClassifier'
>

/** A message that is withheld has its place in the log, and says nothing there. */
function storedAs(
  { said: { data, extra }, result }: Moderated,
  { counts, shows }: Pick<NewEntry, 'counts' | 'shows'>,
): StoredFields {
  const { verdict } = result ?? {}
  if (!result || result.moderation.status === 'approved' || !verdict) {
    return {
      data,
      extra: extra && JSON.stringify(extra),
      counts,
      shows,
      verdict: verdict && JSON.stringify(verdict),
    }
  }
  const sealed = { data: JSON.parse(data), extra: extra ?? null, counts, shows }
  const withheld: Verdict = { ...verdict, withheld: true, sealed }
  return {
    data: '{}',
    counts: false,
    shows: false,
    verdict: JSON.stringify(withheld),
    ...(verdict.pending && { awaitsClassifier: true }),
  }
}

/** Custom messages raise unread counts only when they say so, calls never. */
export function countsAsUnread({ category, data }: Pick<Content, 'category' | 'data'>): boolean {
  if (category === 'call') return false
  if (category !== 'custom') return true
  const metadata = data.metadata as { incrementUnreadCount?: unknown } | undefined
  return metadata?.incrementUnreadCount === true
}

export function updatesLastMessage(
  { app }: Pick<ReadCtx, 'app'>,
  { category, data }: Pick<Content, 'category' | 'data'>,
  reply: boolean,
): boolean {
  if (reply && app.settings['core.conversations.updateOnReplies'] === false) return false
  if (category === 'call') return app.settings['core.conversations.updateOnCallActivity'] === true
  if (category !== 'custom') return true
  return (
    app.settings['core.conversations.updateOnCustomMessage'] !== false &&
    data.updateConversation !== false
  )
}
