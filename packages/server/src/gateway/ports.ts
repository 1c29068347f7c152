import type { Position } from '@chorale/contract/frames'
import type { AppendedEntry } from '../outbox/committed.ts'
import type { AppIdentity, Credentials } from '../pipeline/caller.ts'
import type { ConversationKey, PresenceChange } from './signals.ts'

// What the gateway needs of the domain; `main/` hands it over.

/** A conversation as devices follow it. */
export interface Followed extends ConversationKey {
  readonly appId: string
  /** Its public `conversationId`. */
  readonly label: string
  readonly receiver:
    | { readonly kind: 'group'; readonly guid: string }
    | { readonly kind: 'user'; readonly uids: readonly [string, string] }
}

/** A user's place in a conversation. */
export interface Seat extends Followed {
  readonly uid: string
  readonly resetSeq: number
  readonly head: Position
}

export interface ShownEntry extends Position {
  readonly departs: string | undefined
  readonly arrives: string | undefined
  /** JSON text of the message, one for each of the viewers. */
  readonly texts: readonly string[]
  /** What its sender is shown of it, where that is not what the whole group is shown. */
  readonly own?: { readonly uid: string; readonly text: string } | undefined
}

/** Undefined: every member of the group. */
export type Viewers = readonly (string | undefined)[]

export interface Feed {
  seatsOf(users: readonly { appId: string; uid: string }[]): Promise<Seat[]>
  seatOf(appId: string, uid: string, at: ConversationKey): Promise<Seat | undefined>
  /** Those that are gone are left out. */
  heads(
    of: readonly Followed[],
  ): Promise<readonly (ConversationKey & { head: number; change: number })[]>
  /** The changed ones are read first. */
  missed(
    from: Followed,
    since: Position & { readonly resetSeq: number },
    viewers: Viewers,
    most: number,
  ): Promise<{ changed: readonly ShownEntry[]; entries: readonly ShownEntry[] }>
  fresh(
    from: Followed,
    entries: readonly AppendedEntry[],
    viewers: Viewers,
  ): Promise<readonly ShownEntry[]>
  entryId(of: Followed, seq: number): Promise<number | undefined>
}

/** Whom a user knows. */
export interface Circle {
  readonly friends: ReadonlySet<string>
  /** Blocked by them, or has blocked them. */
  readonly blocked: ReadonlySet<string>
}

export interface Identity {
  readonly appId: string
  readonly uid: string
  /** As it was when the device came. */
  readonly app: AppIdentity
  /** In unix seconds; null: never. */
  readonly expiresAt: number | null
}

export interface Users {
  /** Whose token it is; throws the failure it deserves. */
  authenticate(credentials: Credentials): Promise<Identity>
  /** Of each, whether it would be let in now. */
  areValid(credentials: readonly Credentials[]): Promise<readonly boolean[]>
  /** The user as they see themselves, as JSON text. */
  self(appId: string, uid: string): Promise<string>
  circleOf(appId: string, uid: string): Promise<Circle>
  /** Throws the failure of the rule that forbids it to say this there. */
  requireMayTell(
    credentials: Credentials,
    to: { readonly type: 'user' | 'group'; readonly id: string },
    data: Readonly<Record<string, unknown>>,
  ): Promise<void>
  /** Takes one from the budget of calls of a device; throws when it is used up. */
  charge(user: Identity): void
}

/** A user who came to this gateway or left it. */
export interface Move {
  readonly appId: string
  readonly uid: string
  readonly here: boolean
}

export interface PresenceStore {
  /** Renews the lease. False: it had run out, and everybody here is told to be offline. */
  renew(gatewayId: string, leaseSeconds: number): Promise<boolean>
  /** Records moves, many at once. */
  move(gatewayId: string, moves: readonly Move[]): Promise<readonly AppPresence[]>
  /** Ends the presence that dead gateways have left. */
  sweep(leaseSeconds: number): Promise<readonly AppPresence[]>
}

export interface AppPresence {
  readonly appId: string
  readonly changes: readonly PresenceChange[]
  /** More are online than are told of. */
  readonly crowded: boolean
}
