import type { Message } from '../contract.generated.ts'

/** The other user, or the group. */
export interface Target {
  /** The uid of the user, or the guid of the group. */
  readonly receiver: string
  /** Which of the two. */
  readonly receiverType: 'user' | 'group'
}

/** With whom or where a message was exchanged, as this user sees it. */
export function targetOf(message: Message, uid: string): Target {
  const { sender, receiver, receiverType } = message
  const other = receiverType === 'user' && receiver === uid ? sender : receiver
  return { receiver: other, receiverType }
}
