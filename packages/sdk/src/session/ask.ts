import type { CallOptions, DeviceClient } from '../clients.ts'
import { isPassing, SessionError } from '../errors.ts'
import { type Backoff, delayOf } from './backoff.ts'
import type { Calls } from './calls.ts'

/** Any operation that a device may call, by name. */
export type Ask = <N extends keyof DeviceClient>(
  name: N,
  ...input: Parameters<DeviceClient[N]>
) => ReturnType<DeviceClient[N]>

interface AskParts {
  readonly timeoutMs: number
  readonly backoff: Backoff
}

export function askWith(calls: Calls, { timeoutMs, backoff }: AskParts): Ask {
  async function ask(name: string, input?: object, options: CallOptions = {}): Promise<unknown> {
    const { retries = 0, signal } = options
    for (let attempt = 0; ; attempt++) {
      try {
        return await calls.ask(name, input, { timeoutMs, ...options })
      } catch (error) {
        const isOver = attempt >= retries || !isRead(name) || signal?.aborted
        if (isOver || !mayPass(error)) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, delayOf(attempt, backoff)))
    }
  }
  // On the wire all operations are one shape; the contract types each of them.
  return ask as Ask
}

/** Whatever was only read may be read again. */
function isRead(name: string): boolean {
  return /^(?:get|list)/.test(name)
}

function mayPass(error: unknown): boolean {
  return isPassing(error) || (error instanceof SessionError && error.code === 'connectionLost')
}
