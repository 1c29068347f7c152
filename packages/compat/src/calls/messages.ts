import type { Message } from '@chorale/sdk'
import { failure } from '../exception.ts'
import type { BaseMessage, SendableMessage } from '../messages/base-message.ts'
import type { CustomMessage } from '../messages/custom-message.ts'
import { messageOf } from '../messages/from-wire.ts'
import type { MediaMessage } from '../messages/media-message.ts'
import { noteChange, noteSend } from '../session/own-acts.ts'
import { ask, refusing } from '../session/state.ts'

type ReceiverType = 'user' | 'group'

/** Stored once: the message keeps its muid, so that it can be sent again after a failure. */
export function sendMessage<T extends SendableMessage>(message: T): Promise<T> {
  return refusing(async () => {
    message.muid ??= globalThis.crypto.randomUUID()
    const { muid, receiverId: receiver, tags, quotedMessageId, parentMessageId } = message
    // One of `RECEIVER_TYPE`; the service refuses any other.
    const receiverType = message.receiverType as ReceiverType
    const body = {
      ...message.content(),
      muid,
      receiver,
      receiverType,
      ...(tags && { tags }),
      ...(quotedMessageId !== undefined && { quotedMessageId: String(quotedMessageId) }),
    }
    noteSend(muid)
    const { data } = parentMessageId
      ? await ask('replyToMessage', { params: { id: String(parentMessageId) }, body })
      : await ask('sendMessage', { body })
    // One receiver was named, so the answer is one message, of the class that was sent.
    return messageOf(data as Message) as T
  })
}

export function sendMediaMessage(message: MediaMessage): Promise<MediaMessage> {
  return sendMessage(message)
}

export function sendCustomMessage(message: CustomMessage): Promise<CustomMessage> {
  return sendMessage(message)
}

export function editMessage(message: SendableMessage): Promise<BaseMessage> {
  return refusing(async () => {
    const id = String(message.id)
    const { tags } = message
    const body = { data: message.content().data, ...(tags && { tags }) }
    await noteChange('edited', id, () => ask('editMessage', { params: { id }, body }))
    return getMessageDetails(id)
  })
}

export function deleteMessage(messageId: number | string): Promise<BaseMessage> {
  return refusing(async () => {
    const id = String(messageId)
    const { data } = await noteChange('deleted', id, () => ask('deleteMessage', { params: { id } }))
    const { on } = data.data.entities ?? {}
    // The answer is an action message, which has the deleted one in it.
    if (on?.entityType !== 'message') throw failure('FAILED_TO_FETCH', 'There is no message in it.')
    return messageOf(on.entity)
  })
}

export async function getMessageDetails(messageId: number | string): Promise<BaseMessage> {
  return messageOf((await ask('getMessage', { params: { id: String(messageId) } })).data)
}

export async function flagMessage(
  messageId: number | string,
  { reasonId, remark }: { readonly reasonId: string; readonly remark?: string },
): Promise<{ message: string }> {
  const body = { reasonId, ...(remark !== undefined && { remark }) }
  const { data } = await ask('flagMessage', { params: { id: String(messageId) }, body })
  return { message: data.message }
}

export async function addReaction(messageId: number | string, reaction: string) {
  const id = String(messageId)
  const { data } = await noteChange(`reacted added ${reaction}`, id, () =>
    ask('addReaction', { params: { id, reaction } }),
  )
  return messageOf(data)
}

export async function removeReaction(messageId: number | string, reaction: string) {
  const id = String(messageId)
  const { data } = await noteChange(`reacted removed ${reaction}`, id, () =>
    ask('removeReaction', { params: { id, reaction } }),
  )
  return messageOf(data)
}
