import type { CollaboratorRole } from '@chorale/contract/apps'
import type { Logger } from 'pino'
import type { Egress } from '../../../egress/egress.ts'
import type { SignInParts } from './sign-in.ts'

/** Who gets a role in the install without an invitation. */
export interface ProviderRole {
  readonly by: 'group' | 'domain'
  readonly value: string
  readonly role: CollaboratorRole
}

export interface OpenIdParts extends SignInParts {
  readonly egress: Egress
  readonly log: Logger
  readonly issuer: URL
  readonly name: string
  readonly clientId: string
  /** Empty: a public client. */
  readonly clientSecret: string
  readonly scopes: string
  readonly groupsClaim: string
  readonly roles: readonly ProviderRole[]
  readonly redirectUri: string
  /** Without TLS, as the operator allows it for all calls. */
  readonly insecure: boolean
}
