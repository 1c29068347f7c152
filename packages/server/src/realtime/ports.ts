import type { Position } from '@chorale/contract/frames'
import type { AppendedEntry, ConversationKey } from '../outbox/committed.ts'

// What gateways need of the domain: the domain implements it, and `main/` hands it over.

export type Receiver =
  | { readonly kind: 'group'; readonly guid: string }
  | { readonly kind: 'user'; readonly uids: readonly [string, string] }

/** A conversation as devices follow it. */
export interface FollowedConversation extends ConversationKey {
  readonly appId: string
  /** Its public `conversationId`. */
  readonly label: string
  readonly receiver: Receiver
}

/** A user in a conversation. */
export interface Membership extends FollowedConversation {
  readonly uid: string
  /** Everything up to here is hidden from them. */
  readonly resetSeq: number
  readonly head: Position
}

export interface SerialisedEntry extends Position {
  /** Who has left with it, or come. */
  readonly departs: string | undefined
  readonly arrives: string | undefined
  /** JSON text of the message, one for each of the viewers. */
  readonly texts: readonly string[]
  /** What its sender is shown of it, where that is not what the whole group is shown. */
  readonly own?: { readonly uid: string; readonly text: string } | undefined
}

/** Undefined: every member of the group, who are all shown the same. */
export type Viewers = readonly (string | undefined)[]

export interface Feed {
  membershipsOf(users: readonly { appId: string; uid: string }[]): Promise<Membership[]>
  membershipOf(appId: string, uid: string, at: ConversationKey): Promise<Membership | undefined>
  /** Those that are gone are left out. */
  heads(
    of: readonly FollowedConversation[],
  ): Promise<readonly (ConversationKey & { head: number; change: number })[]>
  /** The changed ones are read first. */
  missed(
    from: FollowedConversation,
    since: Position & { readonly resetSeq: number },
    viewers: Viewers,
    most: number,
  ): Promise<{ changed: readonly SerialisedEntry[]; entries: readonly SerialisedEntry[] }>
  fresh(
    from: FollowedConversation,
    entries: readonly AppendedEntry[],
    viewers: Viewers,
  ): Promise<readonly SerialisedEntry[]>
  entryId(of: FollowedConversation, seq: number): Promise<number | undefined>
}

/** Whom a user knows. */
export interface Relationships {
  readonly friends: ReadonlySet<string>
  /** Blocked by them, or has blocked them. */
  readonly blocked: ReadonlySet<string>
}

/** A user who came to a gateway or left it. */
export interface PresenceMove {
  readonly appId: string
  readonly uid: string
  readonly here: boolean
}

export interface PresenceStore {
  /** Renews the lease. False: it had run out, and everybody here is told to be offline. */
  renew(gatewayId: string, leaseSeconds: number): Promise<boolean>
  /** Records moves, many at once. */
  move(gatewayId: string, moves: readonly PresenceMove[]): Promise<readonly AppPresence[]>
  /** Ends the presence that dead gateways have left. */
  sweep(leaseSeconds: number): Promise<readonly AppPresence[]>
}

/** Someone came online or went. */
export interface PresenceChange {
  readonly uid: string
  readonly role: string
  readonly online: boolean
  readonly at: number
}

export interface AppPresence {
  readonly appId: string
  readonly changes: readonly PresenceChange[]
  /** More are online than are told of. */
  readonly crowded: boolean
}
