import type { DeviceClient } from '../clients.ts'
import type { Calls } from './calls.ts'

/** Any operation that a device may call, by name. */
export type Ask = <N extends keyof DeviceClient>(
  name: N,
  ...input: Parameters<DeviceClient[N]>
) => ReturnType<DeviceClient[N]>

export function askWith(calls: Calls, timeoutMs: number): Ask {
  const ask = (name: string, input?: object) => calls.ask(name, input, timeoutMs)
  // On the wire all operations are one shape; the contract types each of them.
  return ask as Ask
}
