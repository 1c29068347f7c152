import type { CurrentTrigger, LegacyTrigger } from '@chorale/contract/webhooks'
import type { Receiver } from '../../../realtime/ports.ts'
import type { FileAddresses } from '../../../storage/addresses.ts'
import { conversationIdOf } from '../../users/index.ts'
import { groupConversationId } from '../../views/index.ts'

/** A payload for the webhooks of this generation that want the trigger. */
export type WebhookPayload = {
  /** JSON text. */
  readonly data: string
  /** Payloads with the same key stay in order: a conversation, or a user. */
  readonly orderingKey: string
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

/** How messages are shown. */
export interface How {
  readonly changedMessageItself: boolean
  readonly addresses?: FileAddresses | undefined
}

/** Whether any webhook wants it: what nobody hears is not printed. */
export type Wanted = (version: 1 | 2, trigger: CurrentTrigger | LegacyTrigger) => boolean

export function orderingKeyOf(receiver: Receiver): string {
  return receiver.kind === 'group'
    ? groupConversationId(receiver.guid)
    : conversationIdOf(...receiver.uids)
}
