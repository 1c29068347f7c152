import type { AppIdentity, Credentials } from '../pipeline/caller.ts'
import type { Relationships } from '../realtime/ports.ts'

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
  /** Of each, what it would be told if it came now; `held`: to come again, elsewhere. */
  standingsOf(
    credentials: readonly Credentials[],
  ): Promise<readonly ('valid' | 'held' | 'refused')[]>
  /** The user as they see themselves, as JSON text. */
  self(appId: string, uid: string): Promise<string>
  relationshipsOf(appId: string, uid: string): Promise<Relationships>
  /** Throws the failure of the rule that forbids it to say this there. */
  requireMaySignal(
    credentials: Credentials,
    to: { readonly type: 'user' | 'group'; readonly id: string },
    data: Readonly<Record<string, unknown>>,
  ): Promise<void>
  /** Takes one from the budget of calls of a device; throws when it is used up. */
  charge(user: Identity): void
}
