import type { Group as WireGroup, Message as WireMessage, User as WireUser } from '@chorale/sdk'
import { CATEGORY_ACTION, CATEGORY_CUSTOM, CATEGORY_MESSAGE, MESSAGE_TYPE } from '../constants.ts'
import { groupOf } from '../entities/group.ts'
import { User, userOf } from '../entities/user.ts'
import { loginIfAny } from '../session/state.ts'
import { Action } from './action.ts'
import { Attachment } from './attachment.ts'
import { BaseMessage } from './base-message.ts'
import { CustomMessage } from './custom-message.ts'
import { MediaMessage } from './media-message.ts'
import { ReactionCount } from './reaction.ts'
import { TextMessage } from './text-message.ts'

/** A quoted message, and the one that an action is about, have all but the last parts of it. */
type Wire = Omit<WireMessage, 'quotedMessage' | 'data'> & {
  readonly data: Omit<WireMessage['data'], 'entities'> & {
    readonly entities?: NonNullable<WireMessage['data']['entities']>
  }
  readonly quotedMessage?: WireMessage['quotedMessage']
}

/** The message in the class of its kind. */
export function messageOf(wire: Wire): BaseMessage {
  const message = emptyOf(wire)
  const { data, parentId, quotedMessage, quotedMessageId } = wire
  const { sender, receiver } = data.entities ?? {}
  const mentioned = Object.values(data.mentions ?? {})
  Object.assign(message, {
    ...timesOf(wire),
    id: Number(wire.id),
    conversationId: wire.conversationId,
    sender: sender ? userOf(sender.entity) : new User(wire.sender),
    ...(receiver && { receiver: entityOf(receiver.entity) }),
    ...(parentId !== undefined && { parentMessageId: Number(parentId) }),
    ...(quotedMessageId !== undefined && { quotedMessageId: Number(quotedMessageId) }),
    ...(quotedMessage && { quotedMessage: messageOf(quotedMessage) }),
    ...(data.metadata && { metadata: data.metadata }),
    replyCount: wire.replyCount ?? 0,
    reactions: (data.reactions ?? []).map(
      ({ reaction, count, reactedByMe }) => new ReactionCount(reaction, count, reactedByMe),
    ),
    mentionedUsers: mentioned.map(userOf),
    mentionedMe: mentioned.some(({ uid }) => uid === loginIfAny()?.user.uid),
    data,
  })
  return message
}

const copied = [
  'muid',
  'sentAt',
  'updatedAt',
  'deliveredAt',
  'readAt',
  'editedAt',
  'editedBy',
  'deletedAt',
  'deletedBy',
  'tags',
] as const

function timesOf(wire: Wire) {
  const rows = copied.map((name) => [name, wire[name]] as const)
  return Object.fromEntries(rows.filter(([, value]) => value !== undefined))
}

function emptyOf(wire: Wire): BaseMessage {
  const { receiver, receiverType, category, type, data } = wire
  if (category === CATEGORY_ACTION) return actionOf(wire)
  if (category === CATEGORY_CUSTOM) {
    const message = new CustomMessage(receiver, receiverType, type, Object(data.customData))
    if (data.text !== undefined) message.setConversationText(data.text)
    return message
  }
  if (category !== CATEGORY_MESSAGE) return new BaseMessage(receiver, type, receiverType, category)
  if (type === MESSAGE_TYPE.TEXT) return new TextMessage(receiver, data.text ?? '', receiverType)
  const message = new MediaMessage(receiver, '', type, receiverType)
  const size = (given: string | number | undefined) =>
    given === undefined ? {} : { size: Number(given) }
  message.setAttachments(
    (data.attachments ?? []).map((one) => new Attachment({ ...one, ...size(one.size) })),
  )
  if (data.text !== undefined) message.setCaption(data.text)
  return message
}

function actionOf({ receiver, receiverType, type, data }: Wire): Action {
  const { by, on, for: whom } = data.entities ?? {}
  return new Action(receiver, type, receiverType, {
    action: data.action ?? '',
    actionBy: by && userOf(by.entity),
    actionOn: on && (on.entityType === 'message' ? messageOf(on.entity) : userOf(on.entity)),
    actionFor: whom && entityOf(whom.entity),
    oldScope: data.oldScope,
    newScope: data.newScope,
  })
}

function entityOf(entity: WireUser | WireGroup) {
  return 'guid' in entity ? groupOf(entity) : userOf(entity)
}
