import type { messages } from '@chorale/contract/messages'
import type { Ctx, Handlers } from '../../pipeline/handler.ts'
import { appendWithin, type Entry, type EntryRow, peopleIn } from '../conversations/index.ts'
import { type Judge, openCase } from '../moderation/index.ts'
import { accessMessage, actingUid, requireMayChange } from './access.ts'
import { type Content, checkContent } from './content.ts'
import { deleteTraces, updateMessage, withdrawMessage } from './messages.sql.ts'
import { deletePin } from './pins.sql.ts'
import { withhold } from './reviews.ts'
import { answerWith } from './show-message.ts'
import { lowerReplies } from './threads.sql.ts'

type MessageHandlers = Pick<
  Handlers<typeof messages>,
  'getMessage' | 'editMessage' | 'deleteMessage'
>

/** What is edited is judged like what is sent. */
export const messageHandlers = (judge: Judge): MessageHandlers => ({
  async getMessage({ params: { id } }, ctx) {
    return answerWith(ctx, await accessMessage(ctx, id, 'look'))
  },

  async editMessage({ params: { id }, body }, ctx) {
    const entry = await accessMessage(ctx, id, 'change')
    await requireMayChange(ctx, entry, 'editMessage')
    const { category, type, extra } = entry.row
    const content = body.data && checkContent(category, type, { ...body.data })
    const beside = {
      ...extra,
      ...(content && { mentions: content.mentions }),
      ...(body.tags && { tags: body.tags }),
      editedBy: actingUid(ctx),
    }
    const judgement = content && (await judged(judge, ctx, entry, content))
    const { moderation, verdict } = judgement ?? {}
    if (content && judgement && moderation?.status === 'disapproved') {
      await withhold(ctx, entry, content.data, judgement, beside)
      if (verdict) await openCase(ctx, entry.row, { ...verdict, withheld: true }, true)
      return answerWith(ctx, await accessMessage(ctx, id, 'look'))
    }
    const data = content && { ...content.data, ...(moderation && { moderation }) }
    await updateMessage(ctx.db, entry, { data, extra: beside, verdict }, ctx.now)
    if (verdict) await openCase(ctx, entry.row, verdict, true)
    return answerWith(ctx, await recordAction(ctx, 'edited', entry))
  },

  async deleteMessage({ params: { id }, body: { permanent } }, ctx) {
    const entry = await accessMessage(ctx, id, 'change')
    await requireMayChange(ctx, entry, 'deleteMessage')
    const { pinned: _, ...beside } = entry.row.extra ?? {}
    const extra = { ...(permanent ? {} : beside), deletedBy: actingUid(ctx) }
    await withdrawMessage(ctx.db, entry, { extra, forever: permanent }, ctx.now)
    if (permanent) await deleteTraces(ctx.db, entry.row)
    else await deletePin(ctx.db, entry.row)
    if (beside.parent !== undefined) await lowerReplies(ctx.db, entry.row)
    return answerWith(ctx, await recordAction(ctx, 'deleted', entry))
  },
})

/** What the app itself edits is not judged. */
async function judged(judge: Judge, ctx: Ctx, { row, receiver }: Entry, content: Content) {
  if (!ctx.actor || ctx.app.moderationVersion === 0) return undefined
  return judge(ctx, { ...content, sender: row.sender, receiver, from: peopleIn(ctx.db) })
}

/** The answer to a change is an action message, which has its own place in the log. */
async function recordAction(
  ctx: Ctx,
  action: 'edited' | 'deleted',
  { row: changed, receiver }: Entry,
): Promise<Entry> {
  const { bucket, key, id } = changed
  const visible = ctx.app.settings['core.conversations.updateOnMessageActions'] === true
  const said = {
    sender: actingUid(ctx),
    category: 'action',
    type: 'message',
    data: JSON.stringify({ action, messageId: id }),
  }
  const { appId } = ctx.db
  const entry = { bucket, key, appId, ...said, counts: visible, shows: visible }
  const [placed] = await appendWithin(ctx, [entry])
  await ctx.outbox.append(`message.${action}`, { bucket, key, seq: changed.seq, id })
  if (!placed) throw new Error('An action was not appended.')
  const { seq, at } = placed
  const row: EntryRow = {
    ...{ bucket, key, seq, id: placed.id, ...said },
    ...{ muid: null, extra: null, sentAt: at, updatedAt: at, editedAt: null, deletedAt: null },
  }
  return { row, receiver }
}
