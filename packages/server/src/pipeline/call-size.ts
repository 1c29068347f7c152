import type { Turn } from '../watchdog/turns.ts'
import type { InFlight } from './in-flight.ts'

const largeBodyBytes = 32_768
const largePageRows = 200
const manyItems = 10

/** What it has used is asked for once it is known to be large, or to be a user's. */
type CallTurn = { -readonly [Name in keyof Turn]: Turn[Name] }

/** Whether a call is one of the large ones, of which its app has few at once. */
export interface CallSize {
  readonly turn: CallTurn
  /** It is. Undefined: it may go on; else it waits, or is refused. */
  setLarge(): Promise<void> | undefined
  leave(): void
}

export function openCallSize(
  inFlight: InFlight,
  operation: string,
  appId: string | undefined,
): CallSize {
  if (appId !== undefined) inFlight.seen(appId)
  const turn: CallTurn = {
    operation,
    appId,
    onHeld: undefined,
    onConnection: undefined,
    inPart: undefined,
  }
  let entered = false
  return {
    turn,
    setLarge() {
      if (entered || appId === undefined) return undefined
      const begin = () => {
        entered = true
        turn.onHeld = (ms) => inFlight.heldLoop(appId, ms)
        turn.inPart = (work) => inFlight.inPart(appId, work)
      }
      const wait = inFlight.enterLarge(appId)
      if (wait !== undefined) return wait.then(begin)
      begin()
      return undefined
    },
    leave() {
      if (entered && appId !== undefined) inFlight.leaveLarge(appId)
    },
  }
}

/** It brings much, or asks for much: the one is read and checked, the other printed. */
export function isLarge(
  { query }: { readonly query: Readonly<Record<string, unknown>> },
  { bytes }: { readonly bytes: number },
): boolean {
  const rows = Number(query.limit ?? query.perPage ?? query.per_page ?? 0)
  return bytes > largeBodyBytes || rows > largePageRows
}

/** Lists in a body, or in what is in it: each of their items is work, as each receiver of a message is. */
export function bringsMany(body: unknown): boolean {
  return itemsIn(body, 2) > manyItems
}

function itemsIn(value: unknown, depth: number): number {
  if (Array.isArray(value)) return value.length
  if (depth === 0 || typeof value !== 'object' || value === null) return 0
  let items = 0
  for (const inner of Object.values(value)) items += itemsIn(inner, depth - 1)
  return items
}
