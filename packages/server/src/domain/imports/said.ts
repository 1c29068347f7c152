import type { ImportedMessage } from '@chorale/contract/imports'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import type { Extra } from '../log/entries/index.ts'
import { countsOf } from '../messages/imported/index.ts'
import {
  type Content,
  checkContent,
  countsAsUnread,
  updatesLastMessage,
  uploadsIn,
} from '../messages/send/index.ts'
import { objectionToKey } from './outcomes.ts'
import type { Said, Uploads } from './stored-item.ts'

/** New ids go on behind those that were imported; so many are left for them. */
const maxId = 2 ** 52 - 1

/** As it will be stored: by the rules that a send has for its content, and by no other. */
export function saidIn(
  ctx: ReadCtx,
  key: string,
  message: ImportedMessage,
  unread: boolean,
): Said | Failure {
  const objection = objectionTo(ctx.now, key, message)
  if (objection) return objection
  const { sender, category = 'message', type = 'text', parentId } = message
  try {
    const { data, mentions, uploads } = contentOf(ctx, category, type, message)
    const isReply = parentId !== undefined
    const action = category === 'action' ? isVisible(ctx, type) : undefined
    return {
      sender,
      category,
      type,
      data: JSON.stringify(data),
      extra: extraOf(message, mentions),
      counts: unread && !isReply && (action ?? countsAsUnread({ category, data })),
      shows: action ?? updatesLastMessage(ctx, { category, data }, isReply),
      ...(uploads && { uploads }),
    }
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

/** Whether actions raise unread counts and become the last message. */
function isVisible({ app: { settings } }: ReadCtx, type: string): boolean {
  return type === 'groupMember'
    ? settings['core.conversations.updateOnGroupActions'] !== false
    : settings['core.conversations.updateOnMessageActions'] === true
}

function objectionTo(now: number, key: string, message: ImportedMessage): Failure | undefined {
  const { id, muid, sentAt } = message
  const objection = objectionToKey(key, 'muid', muid)
  if (objection) return objection
  if (id !== undefined && Number(id) > maxId) return badRequest('id', `It is at most ${maxId}.`)
  if (sentAt > now) return badRequest('sentAt', 'It lies in the future.')
  return undefined
}

function contentOf(
  { app }: ReadCtx,
  category: string,
  type: string,
  { data, deletedAt }: ImportedMessage,
): Pick<Content, 'data' | 'mentions'> & { readonly uploads?: Uploads } {
  if (deletedAt !== undefined) return { data: {}, mentions: [] }
  if (category === 'action') return { data: actionIn(data), mentions: [] }
  const content = checkContent(app, category, type, data)
  const ids = uploadsIn(content)
  return ids.length === 0 ? content : { ...content, uploads: { ids, content } }
}

/** Of what lists show, what is stored: ids of who and what takes part. */
function actionIn(data: ImportedMessage['data'] = {}): Readonly<Record<string, unknown>> {
  const { entities, on: _, messageId: __, ...said } = data
  if (typeof said.action !== 'string' || said.action === '') {
    throw new Failure('ERR_INVALID_MESSAGE_DATA', { what: 'An action has data.action.' })
  }
  const { entity, entityType } = Object(Object(entities).on)
  const { uid, id } = Object(entity)
  return {
    ...said,
    ...(entityType === 'user' && typeof uid === 'string' && { on: uid }),
    ...(entityType === 'message' && /^\d{1,16}$/.test(id) && { messageId: Number(id) }),
  }
}

function extraOf(message: ImportedMessage, mentions: readonly string[]): Extra {
  const { tags = [], parentId, quotedMessageId, editedBy, deletedBy, deletedAt } = message
  const reactions = deletedAt === undefined ? reactionsOf(message) : []
  return {
    imported: true,
    ...(tags.length > 0 && { tags }),
    ...(mentions.length > 0 && { mentions }),
    ...(parentId !== undefined && { parent: Number(parentId) }),
    ...(quotedMessageId !== undefined && { quoted: Number(quotedMessageId) }),
    ...(editedBy !== undefined && { editedBy }),
    ...(deletedBy !== undefined && { deletedBy }),
    ...(reactions.length > 0 && { reactions: countsOf(reactions) }),
  }
}

/** In the order in which they came, each once. */
export function reactionsOf({ reactions = [], sentAt }: ImportedMessage) {
  const each = new Map(reactions.map((one) => [`${one.uid} ${one.reaction}`, one]))
  return Array.from(each.values(), ({ uid, reaction, reactedAt: at = sentAt }) => ({
    uid,
    reaction,
    at,
  })).toSorted((a, b) => a.at - b.at)
}
