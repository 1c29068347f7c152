import type { ServerFrame } from '../contract.generated.ts'
import type { Emitter } from './emitter.ts'
import type { ConnectionState } from './link.ts'
import type { Outgoing } from './outgoing.ts'
import type { Entry } from './timeline.ts'

type FrameOf<N extends ServerFrame['type']> = Omit<Extract<ServerFrame, { type: N }>, 'type'>

export interface SessionEvents {
  connection: ConnectionState
  /** Every entry of every conversation, once and in order; one's own included. */
  message: Entry
  /** An entry as it is now. */
  changed: Entry
  /** Too much was missed: read the conversation's list anew. */
  reload: { readonly conversationId: string }
  /** The conversation is not theirs any more. */
  left: { readonly conversationId: string }
  /** A message that this device sends: to be shown at once, and then what becomes of it. */
  outgoing: Outgoing
  receipt: FrameOf<'receipt'>
  presence: FrameOf<'presence'>
  typing: FrameOf<'typing'>
  transient: FrameOf<'transient'>
}

export type Events = Emitter<SessionEvents>
