import type { Api } from '@chorale/contract/api'
import type { apps, auditLog, sessions, tenants } from '@chorale/contract/apps'
import type { Input, Output } from '@chorale/contract/operation'
import type { deadLetters, installStatus, usage } from '@chorale/contract/operators'
import type { AppDb, InstallDb } from '../database/app-db.ts'
import type { AppTransaction, Outbox } from '../outbox/unit-of-work.ts'
import type { FileAddresses } from '../storage/addresses.ts'
import type { Vault } from '../vault/vault.ts'
import type { Actor, AppIdentity, Caller } from './caller.ts'
import type { Lines } from './lines.ts'
import type { RawJson } from './raw-json.ts'

/** All that a handler of effect `read` may touch, and what every handler may: it records no event. */
export interface ReadCtx {
  readonly app: AppIdentity
  readonly db: AppDb
  readonly vault: Vault
  readonly caller: Caller
  /** The user as whom the call acts; undefined when the app itself does. */
  readonly actor: Actor | undefined
  /** Addresses of files, in messages that are shown; undefined: there are none. */
  readonly addresses?: FileAddresses | undefined
  /** Unix seconds: one instant per request. */
  readonly now: number
  /**
   * The caller was remembered, not looked up. Only a statement that checks the caller's versions may
   * act on it; anything else throws `StaleFacts`, and is tried again with a caller that was looked up.
   */
  readonly recalled: boolean
}

/** Of effect `write`: `db` is a transaction, and events are rows of it. */
export interface WriteCtx extends ReadCtx {
  readonly outbox: Outbox
}

/** Of effect `parts`: it opens transactions, one after the other. */
export interface PartsCtx extends ReadCtx {
  inTransaction<T>(work: (transaction: AppTransaction) => Promise<T>): Promise<T>
}

/**
 * Of effect `append`: no transaction is open while it waits for the batch that commits its entry. One
 * is for the rare change that comes before the entry, and records an event.
 */
export interface AppendCtx extends PartsCtx {}

type CtxFor<O> = O extends { readonly effect: 'write' }
  ? WriteCtx
  : O extends { readonly effect: 'append' }
    ? AppendCtx
    : O extends { readonly effect: 'parts' }
      ? PartsCtx
      : ReadCtx

/** For operations that are not inside one app. */
interface InstallCtx {
  readonly db: InstallDb
  readonly vault: Vault
  readonly caller: Caller
  readonly now: number
}

type Answer<O> = Promise<O | RawJson<O>>
type Handler<I, O, C> = (input: I, ctx: C) => Answer<O>

/**
 * For an operation with work that must not hold a connection or a lock, such as hashing a password.
 * `prepare` runs before the transaction and returns what remains to be done in it. That part runs
 * again after a deadlock, and checks again whatever may have changed since.
 */
interface PreparedHandler<I, O, C, B = ReadCtx> {
  readonly prepare: (input: I, ctx: B) => Promise<(ctx: C) => Answer<O>>
}

/** A function for every operation of `T`; those named in `P` have a step before their transaction. */
export type Handlers<T, P extends keyof T = never> = {
  readonly [N in keyof T]: N extends P
    ? PreparedHandler<Input<T[N]>, Output<T[N]>, CtxFor<T[N]>>
    : Handler<Input<T[N]>, Output<T[N]>, CtxFor<T[N]>>
}

export type InstallHandlers<T, P extends keyof T = never> = {
  readonly [N in keyof T]: N extends P
    ? PreparedHandler<Input<T[N]>, Output<T[N]>, InstallCtx, InstallCtx>
    : (input: Input<T[N]>, ctx: InstallCtx) => Promise<Output<T[N]> | Lines<Output<T[N]>>>
}

type Operators = typeof installStatus & typeof deadLetters & typeof usage
type Install = typeof apps & typeof auditLog & typeof sessions & typeof tenants & Operators
type InApp = Omit<Api, keyof Install>

/** A handler for every operation of the contract: the compiler names what is missing. */
export interface AllHandlers {
  readonly app: {
    readonly [N in keyof InApp]: Handlers<InApp>[N] | Handlers<InApp, keyof InApp>[N]
  }
  readonly install: {
    readonly [N in keyof Install]:
      | InstallHandlers<Install>[N]
      | InstallHandlers<Install, keyof Install>[N]
  }
}
