import type { ApiKeyScope, CollaboratorRole, Region } from '@chorale/contract/apps'
import type { Operation } from '@chorale/contract/operation'
import { type Permission, rolePermissions } from '@chorale/contract/permissions'
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
  /** Of a collaborator, from the cookie of the console; no other address looks at it. */
  readonly session?: string | undefined
}

export interface AppIdentity {
  readonly appId: string
  readonly region: Region
  readonly settings: Readonly<Record<string, unknown>>
  /** Grows with every change of what moderates it; 0: nothing ever did. */
  readonly moderationVersion: number
  /** Webhooks are asked before a message is stored. */
  readonly gated: boolean
  /** It takes no writes: it moves to another install, or has moved. */
  readonly held: boolean
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
  | {
      /** A person who has signed in. */
      readonly kind: 'collaborator'
      readonly name: string
      readonly email: string
      readonly collaboratorId: number
      readonly sessionId: string
      readonly sessionHash: Buffer
      /** In every app; null: only as `roles` says. */
      readonly role: CollaboratorRole | null
      /** By app id. */
      readonly roles: Readonly<Record<string, CollaboratorRole>>
      /** The app that the path or the header names. */
      readonly app: AppIdentity | undefined
      /** Nothing is open to them but setting up the second factor. */
      readonly mustEnrol: boolean
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
  return recalled && 'versions' in caller ? caller.versions : undefined
}

/** Lists that reach over all apps, and answer whoever has some of them with what is theirs. */
export function isNarrowed({ method, path }: Operation): boolean {
  return method === 'GET' && ['/apps', '/audit-log', '/audit-log/export'].includes(path)
}

export function hasPermission(
  role: CollaboratorRole | null | undefined,
  permission: Permission,
): boolean {
  return role !== null && role !== undefined && rolePermissions[role].includes(permission)
}

/** Of a list over all apps, those that the caller may see; undefined: all. */
export function appIdsWith(caller: Caller, permission: Permission): readonly string[] | undefined {
  if (caller.kind === 'management') return caller.appIds
  if (caller.kind !== 'collaborator') return []
  if (hasPermission(caller.role, permission)) return undefined
  return Object.entries(caller.roles).flatMap(([appId, role]) =>
    hasPermission(role, permission) ? [appId] : [],
  )
}
