import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

/**
 * What the pipeline opens for a handler: `read` plain statements, `write` one transaction,
 * `append` loaders and batchers, `parts` a transaction for each part of what the call brings.
 */
export type Effect = 'read' | 'write' | 'append' | 'parts'

/**
 * The smallest credential that may call: an API key of that scope, the auth token of a user, a
 * management key, or the session of a collaborator. Collaborators may also call what is for keys:
 * `permissions.ts` says which roles.
 */
export type Requires = 'authOnly' | 'fullAccess' | 'authToken' | 'management' | 'session'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Methods that clients use for the same: not documented, and taken. */
  readonly alsoBy?: readonly ('POST' | 'PATCH')[]
  /** Relative to the API's base address; parameters as `:name`. */
  readonly path: string
  readonly summary: string
  /** What it does and what is refused, in Markdown. Who may call and how pages follow is added. */
  readonly description: string
  readonly tag: string
  readonly effect: Effect
  readonly requires: Requires
  /** Whether the header `onBehalfOf` is looked at, and whether it must be there. */
  readonly onBehalfOf?: 'optional' | 'required'
  /**
   * Whether a device may call it with the auth token of its user. `acting`: as that user, as if
   * `onBehalfOf` named them. `own`: only where `uid` in the path, or else in the query, is that
   * user.
   */
  readonly device?: 'acting' | 'own'
  /** The name under which a role may be denied this call. */
  readonly feature?: string
  /** `core` calls have their own, smaller budget. */
  readonly rate?: 'core'
  /** A change of consequence, or a look at secrets: leaves a row in the audit log. */
  readonly audit?: true
  readonly deprecated?: true
  readonly params?: TObject
  /** Headers of its own, beside those that say who calls. */
  readonly headers?: TObject
  readonly query?: TObject
  readonly body?: TObject
  /** The body may also come as multipart/form-data, with files: `file`, or several `files[]`. */
  readonly takesFiles?: true
  /** Instead of a JSON body: parts of multipart/form-data. Those of format `binary` are files. */
  readonly form?: TObject
  readonly response: TSchema
  /** The items of `data` are answered as lines of JSON (NDJSON), as they are read. */
  readonly lines?: true
  /** What this call may answer beside `pipelineErrors`. */
  readonly errors: readonly ErrorCode[]
}

export type Operations = Readonly<Record<string, Operation>>

/** Keeps the literal types, so that handlers and clients are typed by the description. */
export function operations<const T extends Operations>(table: T): T {
  return table
}

declare const defaulted: unique symbol
type Defaulted = { readonly [defaulted]?: true }

/** An input that may be left out; the handler always sees a value. */
export function withDefault<T extends TSchema>(schema: T, value: Static<T>): T & Defaulted {
  return { ...schema, default: value }
}

/** Pipeline errors: any call may answer with one of these, so no operation lists them. */
export const pipelineErrors = [
  'AUTH_ERR_EMPTY_APPID',
  'AUTH_ERR_INVALID_APPID',
  'AUTH_ERR_EMPTY_APIKEY',
  'AUTH_ERR_APIKEY_NOT_FOUND',
  'AUTH_ERR_EMPTY_AUTH_TOKEN',
  'AUTH_ERR_AUTH_TOKEN_NOT_FOUND',
  'AUTH_ERR_JWT_REFUSED',
  'AUTH_ERR_JWKS_UNAVAILABLE',
  'AUTH_ERR_NO_ACCESS',
  'AUTH_ERR_EMPTY_AUTH_HEADER',
  'AUTH_ERR_MANAGEMENT_KEY_NOT_FOUND',
  'AUTH_ERR_SESSION_NOT_FOUND',
  'AUTH_ERR_FOREIGN_PAGE',
  'ERR_BAD_REQUEST',
  'ERR_REQUEST_TIMEOUT',
  'ERR_HEADERS_TOO_LARGE',
  'ERR_TOO_MANY_REQUESTS',
  'ERR_EXCEPTION',
  'ERR_MISSION_FAILED',
] as const satisfies readonly ErrorCode[]

type Properties<S> = S extends { properties: infer P } ? P : never
type DefaultedKeys<S> = {
  [K in keyof Properties<S>]: Properties<S>[K] extends { readonly [defaulted]?: true }
    ? undefined extends Properties<S>[K][typeof defaulted]
      ? K
      : never
    : never
}[keyof Properties<S>]

type Loose<S extends TSchema> = Omit<Static<S>, DefaultedKeys<S> & keyof Static<S>> &
  Partial<Pick<Static<S>, DefaultedKeys<S> & keyof Static<S>>>

type Given<O, K extends string> =
  O extends Readonly<Record<K, infer S extends TSchema>> ? Readonly<Record<K, Static<S>>> : unknown

/** A part of the input that a caller may omit when nothing in it is required. */
type Sent<O, K extends string> =
  O extends Readonly<Record<K, infer S extends TSchema>>
    ? Record<never, never> extends Loose<S>
      ? { readonly [P in K]?: Loose<S> }
      : { readonly [P in K]: Loose<S> }
    : unknown

/** What a handler receives: validated, defaults filled in. Files of a form are in base64. */
export type Input<O> = Given<O, 'params'> &
  Given<O, 'headers'> &
  Given<O, 'query'> &
  Given<O, 'body'> &
  Given<O, 'form'>

type SentForm<O> =
  O extends Readonly<Record<'form', infer S extends TSchema>>
    ? { readonly form: { readonly [P in keyof Static<S>]: Static<S>[P] | Blob } }
    : unknown

/** What a caller sends. */
export type CallInput<O> = Sent<O, 'params'> &
  Sent<O, 'headers'> &
  Sent<O, 'query'> &
  Sent<O, 'body'> &
  SentForm<O> &
  (O extends { onBehalfOf: 'required' }
    ? { readonly onBehalfOf: string }
    : O extends { onBehalfOf: 'optional' }
      ? { readonly onBehalfOf?: string }
      : unknown)

export type Output<O> = O extends { response: infer S extends TSchema } ? Static<S> : never

/** What a device may call. Who acts is known, so nobody is named. */
export type DeviceOperations<T> = {
  [N in keyof T as T[N] extends { device: 'acting' | 'own' } ? N : never]: Omit<T[N], 'onBehalfOf'>
}

type Optional<T> = unknown extends T
  ? [input?: Record<never, never>]
  : Record<never, never> extends T
    ? [input?: T]
    : [input: T]

/** One function per operation. */
export type Client<T> = {
  readonly [N in keyof T]: (...input: Optional<CallInput<T[N]>>) => Promise<Output<T[N]>>
}
