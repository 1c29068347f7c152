import {
  type DeviceClient,
  type DeviceOperation,
  deviceClient,
  type OperationOutputs,
  type Session,
  type User,
} from '@chorale/sdk'
import { exceptionOf, failure } from '../exception.ts'
import type { Address } from './address.ts'
import type { KeptToken } from './kept-token.ts'
import type { AppSettings } from './settings.ts'

/** What `init` was given. */
export interface App {
  readonly appId: string
  readonly settings: AppSettings
  readonly address: Address
  readonly kept: KeptToken
}

/** Whoever is logged in. */
export interface Login {
  readonly app: App
  readonly user: User
  readonly authToken: string
  /** The token was made for this login, and is of no use after it. */
  readonly isTokenOwn: boolean
  readonly calls: DeviceClient
  session?: Session
}

let app: App | undefined
let login: Login | undefined

export function setApp(given: App): void {
  app = given
}

export function currentApp(): App {
  if (!app) throw failure('COMETCHAT_INITIALIZATION_NOT_DONE')
  return app
}

export function setLogin(given: Login | undefined): void {
  login = given
}

export function loginIfAny(): Login | undefined {
  return login
}

export function currentLogin(): Login {
  currentApp()
  if (!login) throw failure('USER_NOT_LOGGED_IN')
  return login
}

export function uidOfMe(): string {
  return currentLogin().user.uid
}

export function clientWith({ appId, address }: App, authToken: string): DeviceClient {
  return deviceClient({ baseUrl: address.baseUrl, appId, authToken })
}

/** A call as whoever is logged in. */
export function ask<N extends DeviceOperation>(
  name: N,
  ...input: Parameters<DeviceClient[N]>
): Promise<OperationOutputs[N]> {
  return refusing(() => {
    // The type of the client says so, operation by operation.
    const call = currentLogin().calls[name] as (given?: unknown) => Promise<OperationOutputs[N]>
    return call(...input)
  })
}

/** What fails, fails with an exception of this interface. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw exceptionOf(error)
  }
}
