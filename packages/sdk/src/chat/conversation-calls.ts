import { markDelivered, markRead } from '../session/marks.ts'
import type { Session } from '../session/session.ts'
import type { Target } from '../session/targets.ts'
import type { ChatConversation, MessageRef } from './conversation-types.ts'
import { editOf } from './drafts.ts'

type Calls = Pick<
  ChatConversation,
  | 'edit'
  | 'delete'
  | 'react'
  | 'unreact'
  | 'pin'
  | 'unpin'
  | 'markRead'
  | 'markDelivered'
  | 'markUnread'
  | 'receiptsOf'
>

export interface CallParts {
  readonly session: Session
  readonly target: Target
  /** Shows a reaction of one's own before the service has taken it. */
  showReaction(id: string, reaction: string, isOn: boolean): void
  /** Undefined: all. */
  showRead(messageId: string | undefined): void
  showUnread(): void
}

export function idOf(message: MessageRef): string {
  const id = typeof message === 'string' ? message : message.id
  if (id === undefined) throw new TypeError('This message is not stored yet.')
  return id
}

/** What becomes of it comes back as an event, like what others do. */
export function conversationCalls(parts: CallParts): Calls {
  const { session, target, showReaction, showRead, showUnread } = parts
  const { call } = session

  async function setReaction(message: MessageRef, reaction: string, isOn: boolean): Promise<void> {
    const id = idOf(message)
    showReaction(id, reaction, isOn)
    try {
      await call(isOn ? 'addReaction' : 'removeReaction', { params: { id, reaction } })
    } catch (error) {
      showReaction(id, reaction, !isOn)
      throw error
    }
  }

  return {
    async edit(message, draft) {
      await call('editMessage', { params: { id: idOf(message) }, body: editOf(draft) })
    },
    async delete(message) {
      await call('deleteMessage', { params: { id: idOf(message) } })
    },
    react: (message, reaction) => setReaction(message, reaction, true),
    unreact: (message, reaction) => setReaction(message, reaction, false),
    async pin(message) {
      await call('pinMessage', { params: { id: idOf(message) } })
    },
    async unpin(message) {
      await call('unpinMessage', { params: { id: idOf(message) } })
    },
    async markRead(message) {
      const id = message === undefined ? undefined : idOf(message)
      showRead(id)
      await markRead(call, target, id)
    },
    markDelivered: (message) =>
      markDelivered(call, target, message === undefined ? undefined : idOf(message)),
    async markUnread(message) {
      await markUnread(call, target, idOf(message))
      showUnread()
    },
    async receiptsOf(message) {
      return (await call('listReceipts', { params: { id: idOf(message) } })).data
    },
  }
}

async function markUnread(call: Session['call'], target: Target, messageId: string): Promise<void> {
  const { receiver, receiverType } = target
  const body = { messageId }
  await (receiverType === 'user'
    ? call('markUserConversationUnread', { params: { uid: receiver }, body })
    : call('markGroupConversationUnread', { params: { guid: receiver }, body }))
}
