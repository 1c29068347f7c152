import type { messages } from '@chorale/contract/messages'
import type { Ctx, Handlers } from '../../pipeline/handler.ts'
import { type Entry, peopleIn } from '../conversations/index.ts'
import { type Judge, openCase } from '../moderation/index.ts'
import { accessMessage, actingUid, requireMayChange } from './access.ts'
import { type Content, checkContent } from './content.ts'
import { insertJudgement } from './judgements.sql.ts'
import { deleteTraces, updateMessage, withdrawMessage } from './messages.sql.ts'
import { deletePin } from './pins.sql.ts'
import { type Changing, recordAction } from './record-action.ts'
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
    const changes = {
      ...(content && { mentions: content.mentions }),
      ...(body.tags && { tags: body.tags }),
      editedBy: actingUid(ctx),
    }
    const beside = { ...extra, ...changes }
    const judgement = content && (await judged(judge, ctx, entry, content))
    const { moderation, verdict } = judgement ?? {}
    if (content && judgement && moderation?.status === 'disapproved') {
      await withhold(ctx, entry, content.data, judgement, beside)
      if (verdict) await openCase(ctx, entry.row, { ...verdict, withheld: true }, true)
      return answerWith(ctx, await accessMessage(ctx, id, 'look'))
    }
    const data = content && { ...content.data, ...(moderation && { moderation }) }
    if (content && verdict?.pending) {
      // Until it is decided, the message is what it was.
      const edit = { ...changing(ctx), data: content.data, extra: changes, verdict }
      await insertJudgement(ctx.db, entry.row, edit)
      const row = { ...entry.row, data: JSON.stringify(data), extra: beside }
      return answerWith(ctx, { ...entry, row })
    }
    await updateMessage(ctx.db, entry, { data, extra: beside, verdict }, ctx.now)
    if (verdict) await openCase(ctx, entry.row, verdict, true)
    return answerWith(ctx, await recordAction(ctx, 'edited', entry, changing(ctx)))
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
    return answerWith(ctx, await recordAction(ctx, 'deleted', entry, changing(ctx)))
  },
})

/** What the app itself edits is not judged. */
async function judged(judge: Judge, ctx: Ctx, { row, receiver }: Entry, content: Content) {
  if (!ctx.actor || ctx.app.moderationVersion === 0) return undefined
  return judge(ctx, { ...content, sender: row.sender, receiver, from: peopleIn(ctx.db) })
}

/** As whom the call acts, and whether the app wants changes to show in lists. */
function changing(ctx: Ctx): Changing {
  const visible = ctx.app.settings['core.conversations.updateOnMessageActions'] === true
  return { by: actingUid(ctx), visible }
}
