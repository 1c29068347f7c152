import type { ServerFrame } from '../contract.generated.ts'
import type { Emitter } from './emitter.ts'
import type { ConnectionState } from './link.ts'
import type { Outgoing } from './outgoing.ts'
import type { Entry } from './timeline.ts'

/** A frame of the service of this type: what it says. */
export type FrameOf<N extends ServerFrame['type']> = Omit<Extract<ServerFrame, { type: N }>, 'type'>

/** The events of a session, and what each listener is given. */
export interface SessionEvents {
  /** There is a connection, or there is none any more. */
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
  /** Somebody has received or read up to a message. */
  receipt: FrameOf<'receipt'>
  /** A user comes or goes. Needs the option `presence`. */
  presence: FrameOf<'presence'>
  /** How far the check of a file is that this user has brought. */
  upload: FrameOf<'upload'>
  /** Somebody begins or ends typing. */
  typing: FrameOf<'typing'>
  /** A custom event, by `sendEvent` of another device. */
  customEvent: FrameOf<'transient'>
}

export type Events = Emitter<SessionEvents>
