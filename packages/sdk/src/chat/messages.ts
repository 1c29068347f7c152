import type { Message } from '../contract.generated.ts'
import type { UploadProgress } from '../files/upload.ts'
import type { Outgoing } from '../session/outgoing.ts'

/** A message as it is shown: stored, on its way, or refused. */
export interface ChatMessage extends Omit<Message, 'id' | 'muid'> {
  /** The same before and after the message is stored: the key of its element in a list. */
  readonly key: string
  /** Not there until the message is stored. */
  readonly id?: string
  /** Chosen by the device that sent it. */
  readonly clientId?: string
  /** Whether it is on its way, stored, or refused. */
  readonly state: 'sending' | 'sent' | 'failed'
  /** Of its files, while they are uploaded. */
  readonly progress?: UploadProgress
  /** Why it was refused. */
  readonly error?: Error
  /** Whether this user has sent it. */
  readonly isOwn: boolean
}

/** Up to which message the other user has come. */
export interface ReceiptMark {
  /** Up to this message. */
  readonly messageId: string
  /** When, in Unix seconds. */
  readonly at: number
}

/** How far another user has come. */
export interface Receipts {
  /** What has reached a device of theirs. */
  readonly delivered?: ReceiptMark
  /** What they have read. */
  readonly read?: ReceiptMark
}

/** A stored message, as the user with this uid is shown it. */
export function stored({ muid, ...message }: Message, uid: string): ChatMessage {
  const isOwn = message.sender === uid
  return {
    ...message,
    key: isOwn && muid !== undefined ? muid : message.id,
    ...(muid !== undefined && { clientId: muid }),
    state: 'sent',
    isOwn,
  }
}

/** A message that is not stored yet. */
export function unsent(outgoing: Outgoing, uid: string): ChatMessage {
  const { clientId, draft, state, progress, error } = outgoing
  const { receiver, receiverType, parentId, data = {}, tags, quotedMessageId } = draft
  const now = Math.floor(Date.now() / 1000)
  return {
    key: clientId,
    clientId,
    state,
    isOwn: true,
    conversationId: '',
    sender: uid,
    receiver,
    receiverType,
    category: draft.category ?? 'message',
    type: draft.type ?? 'text',
    sentAt: now,
    updatedAt: now,
    // What was typed as a draft has the fields of a message.
    data: { ...data, ...attachmentsOf(draft) } as Message['data'],
    ...(parentId !== undefined && { parentId: String(parentId) }),
    ...(quotedMessageId !== undefined && { quotedMessageId: String(quotedMessageId) }),
    ...(tags && { tags: [...tags] }),
    ...(progress && { progress }),
    ...(error && { error }),
  }
}

/** Of files that are not uploaded: without an address. */
function attachmentsOf({ files }: Outgoing['draft']) {
  const attachments = files?.map(({ name = 'file', size, type }) => {
    return { name, size: String(size), mimeType: type }
  })
  return attachments && { attachments }
}

/** With what the other user has received and read meanwhile. */
export function withReceipts(message: ChatMessage, { delivered, read }: Receipts): ChatMessage {
  if (!message.isOwn || message.id === undefined) return message
  const covers = (mark: ReceiptMark | undefined) =>
    mark && Number(mark.messageId) >= Number(message.id) ? mark.at : undefined
  const readAt = message.readAt ?? covers(read)
  const deliveredAt = message.deliveredAt ?? covers(delivered) ?? readAt
  if (readAt === message.readAt && deliveredAt === message.deliveredAt) return message
  return {
    ...message,
    ...(readAt !== undefined && { readAt }),
    ...(deliveredAt !== undefined && { deliveredAt }),
  }
}

/**
 * What a group is shown does not say which reactions are one's own: these are remembered from
 * before, unless this device has just changed one.
 */
export function withOwnReactions(
  message: ChatMessage,
  before: ChatMessage,
  chosen: ReadonlyMap<string, boolean> | undefined,
): ChatMessage {
  const { reactions } = message.data
  if (message.receiverType === 'user' || !reactions) return message
  const known = new Map(before.data.reactions?.map((one) => [one.reaction, one.reactedByMe]))
  const marked = reactions.map((one) => {
    const isMine = chosen?.get(one.reaction) ?? one.reactedByMe ?? known.get(one.reaction)
    return isMine ? { ...one, reactedByMe: true } : one
  })
  return { ...message, data: { ...message.data, reactions: marked } }
}

/** As it will be once the service has taken the reaction, or its removal. */
export function withReaction(message: ChatMessage, reaction: string, isOn: boolean): ChatMessage {
  const before = message.data.reactions ?? []
  const found = before.find((one) => one.reaction === reaction)
  if ((found?.reactedByMe ?? false) === isOn) return message
  const count = (found?.count ?? 0) + (isOn ? 1 : -1)
  const now = { reaction, count, ...(isOn && { reactedByMe: true }) }
  const reactions = found
    ? before.map((one) => (one === found ? now : one)).filter((one) => one.count > 0)
    : [...before, now]
  return { ...message, data: { ...message.data, reactions } }
}

/**
 * Edits and deletions are entries of the log, too; they are shown where the message is. What nobody has
 * deleted, and yet is deleted, was withheld by moderation: lists of the service do not have it either.
 */
export function isShown({ category, type, deletedAt, deletedBy }: Message): boolean {
  if (deletedAt !== undefined && deletedBy === undefined) return false
  return category !== 'action' || type !== 'message'
}

/** Whether it raises the unread count of a user, with the settings that an app has at first. */
export function countsAsUnread(message: Message, uid: string): boolean {
  const { category, sender, parentId, data } = message
  if (sender === uid || parentId !== undefined || category === 'call') return false
  if (category === 'custom') return data.metadata?.incrementUnreadCount === true
  return isShown(message)
}

/** Whether it becomes the last message of its conversation, likewise. */
export function isLastMessage(message: Message): boolean {
  return isShown(message) && message.category !== 'call'
}
