import type { CurrentTrigger, LegacyTrigger } from '@chorale/contract/webhooks'
import type { Receiver } from '../../../realtime/ports.ts'
import { conversationIdOf } from '../../users/index.ts'
import { groupConversationId } from '../../views/index.ts'

/** Something to tell: a webhook of this generation, if it wants to hear of it. */
export type Telling = {
  /** JSON text. */
  readonly data: string
  /** What must stay in order: a conversation, or a user. */
  readonly line: string
  /** One more thing that the event says, where it says several. */
  readonly eventId?: string
} & (
  | { readonly version: 2; readonly trigger: CurrentTrigger }
  | {
      readonly version: 1
      readonly trigger: LegacyTrigger
      /** The older generation calls one of its triggers by another name in the payload. */
      readonly says?: string
      readonly platform: 'API' | 'WEBSOCKET'
    }
)

/** Whether any webhook wants it: what nobody hears is not printed. */
export type Wanted = (version: 1 | 2, trigger: CurrentTrigger | LegacyTrigger) => boolean

export function lineOf(receiver: Receiver): string {
  return receiver.kind === 'group'
    ? groupConversationId(receiver.guid)
    : conversationIdOf(...receiver.uids)
}
