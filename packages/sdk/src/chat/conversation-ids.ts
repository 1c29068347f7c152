import type { Conversation } from '../contract.generated.ts'
import type { Target } from '../session/targets.ts'

/** The id of the conversation that a user has with another, or with a group. */
export function conversationIdOf({ receiver, receiverType }: Target, uid: string): string {
  if (receiverType === 'group') return `group_${receiver}`
  return uid < receiver ? `${uid}_user_${receiver}` : `${receiver}_user_${uid}`
}

export function receiverOf({ conversationWith }: Conversation): Target {
  return 'guid' in conversationWith
    ? { receiver: conversationWith.guid, receiverType: 'group' }
    : { receiver: conversationWith.uid, receiverType: 'user' }
}

export function keyOf({ receiver, receiverType }: Target): string {
  return `${receiverType} ${receiver}`
}
