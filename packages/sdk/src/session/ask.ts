import type { Api } from '@chorale/contract/api'
import type { Client, DeviceOperations } from '@chorale/contract/operation'
import type { Calls } from './calls.ts'

type DeviceApi = DeviceOperations<Api>
type CallOf<N extends keyof DeviceApi> = Client<DeviceApi>[N]

/** Any operation that a device may call, by name. */
export type Ask = <N extends keyof DeviceApi>(
  name: N,
  ...input: Parameters<CallOf<N>>
) => ReturnType<CallOf<N>>

export function askWith(calls: Calls, timeoutMs: number): Ask {
  const ask = (name: string, input?: object) => calls.ask(name, input, timeoutMs)
  // On the wire all operations are one shape; the contract types each of them.
  return ask as Ask
}
