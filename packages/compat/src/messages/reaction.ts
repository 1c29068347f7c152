import type { Reaction as WireReaction } from '@chorale/sdk'
import { fieldsOf } from '../accessors.ts'
import { type User, userOf } from '../entities/user.ts'

interface ReactionFields {
  reactionId: string
  messageId: string
  reaction: string
  uid: string
  reactedAt: number
  reactedBy: User
}

const Fields = fieldsOf<ReactionFields>([
  'reactionId',
  'messageId',
  'reaction',
  'uid',
  'reactedAt',
  'reactedBy',
])

/** That one user reacted. */
export class Reaction extends Fields {
  constructor(given: Partial<ReactionFields>) {
    super()
    Object.assign(this, given)
  }
}

export function reactionOf({ id, reactedBy, ...rest }: WireReaction): Reaction {
  return new Reaction({ ...rest, reactionId: id, reactedBy: userOf(reactedBy) })
}

interface CountFields {
  reaction: string
  count: number
  reactedByMe: boolean
}

/** How many reacted so. */
export class ReactionCount extends fieldsOf<CountFields>(['reaction', 'count', 'reactedByMe']) {
  constructor(reaction: string, count: number, reactedByMe = false) {
    super()
    this.reaction = reaction
    this.count = count
    this.reactedByMe = reactedByMe
  }
}

interface EventFields {
  reaction: Reaction
  receiverId: string
  receiverType: string
  conversationId: string
  parentMessageId: number
}

const Event = fieldsOf<EventFields>([
  'reaction',
  'receiverId',
  'receiverType',
  'conversationId',
  'parentMessageId',
])

/** That a reaction came or went. */
export class ReactionEvent extends Event {
  constructor(given: Partial<EventFields>) {
    super()
    Object.assign(this, given)
  }
}
