import type { messages } from '@chorale/contract/messages'
import type { Ctx, Handlers } from '../../pipeline/handler.ts'
import { Printed, printWith } from '../../pipeline/printed.ts'
import {
  appendWithin,
  type Entry,
  type EntryRow,
  peopleIn,
  printEntries,
} from '../conversations/index.ts'
import { accessMessage, requireMayChange } from './access.ts'
import { checkContent } from './content.ts'
import { updateMessage, withdrawMessage } from './messages.sql.ts'

const systemUid = 'app_system'

type MessageHandlers = Pick<
  Handlers<typeof messages>,
  'getMessage' | 'editMessage' | 'deleteMessage'
>

export const messageHandlers: MessageHandlers = {
  async getMessage({ params: { id } }, ctx) {
    return answerWith(ctx, await accessMessage(ctx, id, 'read'))
  },

  async editMessage({ params: { id }, body }, ctx) {
    const entry = await accessMessage(ctx, id, 'change')
    await requireMayChange(ctx, entry, 'editMessage')
    const { category, type, extra } = entry.row
    const content = body.data && checkContent(category, type, { ...body.data })
    const editor = ctx.actor?.uid ?? systemUid
    await updateMessage(
      ctx.db,
      entry,
      {
        data: content?.data,
        extra: {
          ...extra,
          ...(content && { mentions: content.mentions }),
          ...(body.tags && { tags: body.tags }),
          editedBy: editor,
        },
      },
      ctx.now,
    )
    return answerWith(ctx, await recordAction(ctx, 'edited', entry))
  },

  async deleteMessage({ params: { id }, body: { permanent } }, ctx) {
    const entry = await accessMessage(ctx, id, 'change')
    await requireMayChange(ctx, entry, 'deleteMessage')
    const extra = { ...entry.row.extra, deletedBy: ctx.actor?.uid ?? systemUid }
    await withdrawMessage(ctx.db, entry, { extra, forever: permanent }, ctx.now)
    return answerWith(ctx, await recordAction(ctx, 'deleted', entry))
  },
}

/** One message as the acting user sees it. */
export async function answerWith<T>(ctx: Ctx, entry: Entry): Promise<Printed<T>> {
  const [data] = await printEntries(ctx.db, peopleIn(ctx.db), [entry], { viewer: ctx.actor?.uid })
  return new Printed(printWith({}, { data }))
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
    sender: ctx.actor?.uid ?? systemUid,
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
