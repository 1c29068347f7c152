import type { ServerFrame } from '@chorale/contract/frames'
import type { AppendedEntry, ConversationKey } from '../outbox/committed.ts'

// What processes tell gateways over NATS core. Each may be lost: the log and the tables decide.

export interface ReceiptSignal {
  readonly kind: 'delivered' | 'read'
  readonly uid: string
  readonly seq: number
  readonly at: number
}

export type ConversationSignal =
  /** Entries of one batch, in order. */
  | { readonly is: 'entries'; readonly entries: readonly AppendedEntry[] }
  /** There is something new to read in the log. */
  | { readonly is: 'behind' }
  /** Hidden from all its users. */
  | { readonly is: 'reset' }
  | { readonly is: 'gone' }
  | { readonly is: 'receipt'; readonly receipt: ReceiptSignal }
  /** A frame as text, for everyone but its sender. */
  | { readonly is: 'frame'; readonly sender: string; readonly text: string }

export type UserSignal =
  /** They take part from this seq on. */
  | { readonly is: 'joined'; readonly at: ConversationKey; readonly seq: number }
  /** Hidden from them alone. */
  | { readonly is: 'reset'; readonly at: ConversationKey }
  /** Their tokens, or whether they may come at all. */
  | { readonly is: 'credentials' }
  /** Their friends, or whom they have blocked, or who has blocked them. */
  | { readonly is: 'relationships' }
  /** A file that they have brought is checked. */
  | ({ readonly is: 'upload' } & UploadProgress)

/** How far the check of a file is. */
export type UploadProgress = Omit<Extract<ServerFrame, { type: 'upload' }>, 'type'>

/** The app answers nobody any more, or some of its users. */
export interface AppSignal {
  readonly is: 'credentials'
}

export function conversationSubject({ bucket, key }: ConversationKey): string {
  return `conversation.${bucket}.${key}`
}

export function userSubject(appId: string, uid: string): string {
  return `user.${appId}.${uid}`
}

export function appSubject(appId: string): string {
  return `app.${appId}`
}

export function presenceSubject(appId: string): string {
  return `presence.${appId}`
}
