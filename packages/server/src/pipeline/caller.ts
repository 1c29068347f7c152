import type { ApiKeyScope, Region } from '@chorale/contract/apps'
import type { Operation } from '@chorale/contract/operation'
import type { RolePermissions, RoleSettings } from '@chorale/contract/roles'

/** What a request says about who sends it, before any of it is believed. */
export interface Credentials {
  readonly appId: string | undefined
  /** Region in the host name; undefined when the app was named by header. */
  readonly region: string | undefined
  readonly apiKey: string | undefined
  /** Of a device. Empty when the header was there and said nothing. */
  readonly authToken: string | undefined
  readonly onBehalfOf: string | undefined
  readonly managementKey: string | undefined
  readonly managementSecret: string | undefined
}

export interface AppIdentity {
  readonly appId: string
  readonly region: Region
  readonly settings: Readonly<Record<string, unknown>>
  /** Grows with every change of what moderates it; 0: nothing ever did. */
  readonly moderationVersion: number
  /** Webhooks are asked before a message is stored. */
  readonly gated: boolean
}

/** What must be unchanged for what was read of the caller to hold: docs/versions.md. */
export interface CallerVersions {
  readonly app: number
  /** Undefined: no user acts. */
  readonly actor: number | undefined
}

/** The user as whom a call acts: their eyes, their limits. */
export interface Actor {
  readonly uid: string
  readonly role: string
  readonly roleSettings: RoleSettings
  readonly permissions: RolePermissions
  readonly restrictedFeatures: readonly string[]
}

export type Caller =
  | {
      readonly kind: 'key'
      readonly name: string
      readonly app: AppIdentity
      readonly keyHash: Buffer
      readonly scope: ApiKeyScope
      readonly actor: Actor | undefined
      readonly versions: CallerVersions
    }
  | {
      readonly kind: 'device'
      readonly name: string
      readonly app: AppIdentity
      readonly tokenHash: Buffer
      /** Null: the token never expires. */
      readonly expiresAt: number | null
      /** The user of the token, always. */
      readonly actor: Actor
      readonly versions: CallerVersions
    }
  | {
      readonly kind: 'management'
      readonly name: string
      /** The app that the path names. */
      readonly app: AppIdentity | undefined
      /** Undefined: the key is good for every app. */
      readonly appIds: readonly string[] | undefined
    }

/** Turns credentials into a caller, or throws the failure they deserve. */
export type Identify = (
  credentials: Credentials,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
) => Promise<Caller>

/** The caller as last identified in this process. Whoever acts on it checks its versions. */
export type Recall = (credentials: Credentials, operation: Operation) => Caller | undefined

/** What a statement has to compare; undefined: the caller was looked up. */
export function rememberedVersions(ctx: {
  readonly caller: Caller
  readonly recalled: boolean
}): CallerVersions | undefined {
  const { caller, recalled } = ctx
  return recalled && caller.kind !== 'management' ? caller.versions : undefined
}
