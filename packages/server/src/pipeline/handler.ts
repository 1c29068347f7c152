import type { Api } from '@chorale/contract/api'
import type { apps } from '@chorale/contract/apps'
import type { Input, Output } from '@chorale/contract/operation'
import type { AppDb, InstallDb } from '../database/app-db.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Vault } from '../vault/vault.ts'
import type { Actor, AppIdentity, Caller } from './caller.ts'
import type { Printed } from './printed.ts'

/** All that a handler may touch. */
export interface Ctx {
  readonly app: AppIdentity
  readonly db: AppDb
  readonly outbox: Outbox
  readonly vault: Vault
  readonly caller: Caller
  /** The user as whom the call acts; undefined when the app itself does. */
  readonly actor: Actor | undefined
  /** Unix seconds: one instant per request. */
  readonly now: number
}

/** For operations that are not inside one app. */
interface InstallCtx {
  readonly db: InstallDb
  readonly vault: Vault
  readonly caller: Caller
  readonly now: number
}

export type Handlers<T> = {
  readonly [N in keyof T]: (
    input: Input<T[N]>,
    ctx: Ctx,
  ) => Promise<Output<T[N]> | Printed<Output<T[N]>>>
}

export type InstallHandlers<T> = {
  readonly [N in keyof T]: (input: Input<T[N]>, ctx: InstallCtx) => Promise<Output<T[N]>>
}

/** A function for every operation of the contract: the compiler names what is missing. */
export interface AllHandlers {
  readonly app: Handlers<Omit<Api, keyof typeof apps>>
  readonly install: InstallHandlers<typeof apps>
}
