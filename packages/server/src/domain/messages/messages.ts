import type { Message } from '@chorale/contract/conversations'
import type { messages } from '@chorale/contract/messages'
import { Failure } from '../../pipeline/failure.ts'
import type { Ctx, Handlers } from '../../pipeline/handler.ts'
import { appendEntries, showEntries } from '../conversations/index.ts'
import { accessMessage, requireMayChange } from './access.ts'
import { checkContent } from './content.ts'
import { type FoundEntry, updateMessage, withdrawMessage } from './messages.sql.ts'

const systemUid = 'app_system'

type MessageHandlers = Pick<
  Handlers<typeof messages>,
  'getMessage' | 'editMessage' | 'deleteMessage'
>

export const messageHandlers: MessageHandlers = {
  async getMessage({ params: { id } }, ctx) {
    const entry = await accessMessage(ctx, id, 'read')
    return { data: await shown(ctx, entry) }
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
    return { data: await recordAction(ctx, 'edited', await accessMessage(ctx, id, 'read')) }
  },

  async deleteMessage({ params: { id }, body: { permanent } }, ctx) {
    const entry = await accessMessage(ctx, id, 'change')
    await requireMayChange(ctx, entry, 'deleteMessage')
    const extra = { ...entry.row.extra, deletedBy: ctx.actor?.uid ?? systemUid }
    await withdrawMessage(ctx.db, entry, { extra, forever: permanent }, ctx.now)
    const gone = {
      ...entry,
      row: { ...entry.row, extra, deletedAt: ctx.now, updatedAt: ctx.now },
    }
    return { data: await recordAction(ctx, 'deleted', gone) }
  },
}

async function shown(ctx: Ctx, { row, receiver }: FoundEntry): Promise<Message> {
  const [message] = await showEntries(ctx, [row], receiver)
  if (!message) throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id: row.id })
  return message
}

/** The answer to a change is an action message, which has its own place in the log. */
async function recordAction(
  ctx: Ctx,
  action: 'edited' | 'deleted',
  entry: FoundEntry,
): Promise<Message> {
  const visible = ctx.app.settings['core.conversations.updateOnMessageActions'] === true
  const sender = ctx.actor?.uid ?? systemUid
  const data = { action, messageId: entry.row.id }
  const [placed] = await appendEntries(
    ctx.db.db,
    [
      {
        bucket: entry.bucket,
        key: entry.key,
        appId: ctx.db.appId,
        sender,
        category: 'action',
        type: 'message',
        data: JSON.stringify(data),
        counts: visible,
        shows: visible,
      },
    ],
    ctx.now,
  )
  if (!placed) throw new Error('An action was not appended.')
  const row = {
    id: placed.id,
    sender,
    category: 'action',
    type: 'message',
    muid: null,
    data,
    extra: null,
    sentAt: ctx.now,
    updatedAt: ctx.now,
    editedAt: null,
    deletedAt: null,
  }
  const [message] = await showEntries(ctx, [row], entry.receiver)
  if (!message) throw new Error('An action could not be shown.')
  const on = { entity: await shown(ctx, entry), entityType: 'message' as const }
  return { ...message, data: { ...message.data, entities: { ...message.data.entities, on } } }
}
