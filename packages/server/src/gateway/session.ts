import type { ClientFrame } from '@chorale/contract/frames'
import type { Credentials } from '../pipeline/caller.ts'
import type { Relationships } from '../realtime/ports.ts'
import type { Claim } from './address.ts'
import type { Connection } from './connection.ts'
import type { Listener } from './hub/channel.ts'
import type { ConversationStream } from './hub/conversation-stream.ts'
import type { Identity } from './users.ts'

type AuthFrame = Extract<ClientFrame, { type: 'auth' }>

/** A connection that has said who it is. */
export class Session implements Listener {
  readonly identity: Identity
  /** Looked at again with every call, so that a revoked token is refused at once. */
  readonly credentials: Credentials
  /** Of the client. */
  readonly address: string
  readonly connection: Connection
  readonly wish: NonNullable<AuthFrame['presence']>
  /** By the key of the conversation: two of them may have the same label. */
  readonly following = new Map<number, ConversationStream>()
  readonly #entered = Promise.withResolvers<void>()
  #isIn = false

  constructor(
    identity: Identity,
    { credentials, address }: Claim,
    connection: Connection,
    wish: AuthFrame['presence'],
  ) {
    this.identity = identity
    this.credentials = credentials
    this.address = address
    this.connection = connection
    this.wish = wish ?? { of: 'none' }
  }

  /** When it has been let in: what the user is told of waits for that. */
  get entered(): Promise<void> {
    return this.#entered.promise
  }

  get isIn(): boolean {
    return this.#isIn
  }

  letIn(): void {
    this.#isIn = true
    this.#entered.resolve()
  }

  get uid(): string {
    return this.identity.uid
  }

  write(frames: Buffer, count: number): void {
    this.connection.write(frames, count)
  }

  /** Whether they want to hear that this user came or went. */
  wantsPresence(
    change: { readonly uid: string; readonly role: string },
    relationships: Relationships,
  ): boolean {
    if (change.uid === this.uid || relationships.blocked.has(change.uid)) return false
    switch (this.wish.of) {
      case 'none':
        return false
      case 'friends':
        return relationships.friends.has(change.uid)
      case 'roles':
        return this.wish.roles?.includes(change.role) ?? false
      case 'all':
        return true
    }
  }

  unfollow(key: number): void {
    this.following.delete(key)
  }
}
