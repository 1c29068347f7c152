/** At most so many at once, and of one key no more than its share. Keys that wait take turns. */
export interface FairSlots {
  /** Rejects with `NoSlot` when too many of this key wait already. */
  use<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Undefined: the slot is there. Throws `NoSlot` as above. Whoever got a slot leaves it once. */
  enter(key: string): Promise<void> | undefined
  leave(key: string): void
  /** How many wait, of all keys. */
  waiting(): number
}

export interface FairSlotsOptions {
  readonly most: number
  readonly mostPerKey: number
  /** Of a key while no other runs or waits; as many as otherwise where it is not said. */
  readonly mostAlone?: number
  readonly mostWaitingPerKey: number
  /** Who has waited this long is refused as well; for ever where it is not said. */
  readonly patienceMs?: number
}

export class NoSlot extends Error {}

interface Lane {
  running: number
  readonly waiting: (() => void)[]
}

export function openFairSlots(options: FairSlotsOptions): FairSlots {
  // Only keys with something running or waiting; in the order in which they are served next.
  const lanes = new Map<string, Lane>()
  let running = 0

  const laneOf = (key: string): Lane => {
    const known = lanes.get(key)
    if (known) return known
    const fresh = { running: 0, waiting: [] }
    lanes.set(key, fresh)
    return fresh
  }

  const start = (lane: Lane) => {
    running++
    lane.running++
  }

  const dropIfEmpty = (key: string, lane: Lane) => {
    if (lane.running + lane.waiting.length === 0) lanes.delete(key)
  }

  const shareOf = () =>
    lanes.size === 1 ? (options.mostAlone ?? options.mostPerKey) : options.mostPerKey

  const serve = (lane: Lane): boolean => {
    if (running >= options.most || lane.running >= shareOf()) return false
    const next = lane.waiting.shift()
    if (!next) return false
    start(lane)
    next()
    return true
  }

  const serveFirst = (): boolean => {
    for (const lane of lanes.values()) if (serve(lane)) return true
    return false
  }

  const wait = (key: string, lane: Lane): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    lane.waiting.push(resolve)
    if (options.patienceMs === undefined) return promise
    const timer = setTimeout(() => {
      lane.waiting.splice(lane.waiting.indexOf(resolve), 1)
      dropIfEmpty(key, lane)
      reject(new NoSlot('It took too long.'))
    }, options.patienceMs)
    return promise.finally(() => clearTimeout(timer))
  }

  const enter = (key: string): Promise<void> | undefined => {
    const lane = laneOf(key)
    if (running < options.most && lane.running < shareOf()) {
      start(lane)
      return undefined
    }
    if (lane.waiting.length < options.mostWaitingPerKey) return wait(key, lane)
    dropIfEmpty(key, lane)
    throw new NoSlot('Too many wait already.')
  }

  const leave = (key: string) => {
    const lane = laneOf(key)
    const wasFull = running >= options.most
    running--
    lane.running--
    // Whoever had a slot stands behind the others.
    lanes.delete(key)
    if (lane.running + lane.waiting.length > 0) lanes.set(key, lane)
    // While there is room for all, only this key can have waited for its own.
    if (wasFull || lanes.size === 1) while (serveFirst());
    else serve(lane)
  }

  return {
    enter,
    leave,
    waiting: () => lanes.values().reduce((sum, lane) => sum + lane.waiting.length, 0),
    async use(key, work) {
      const turn = enter(key)
      if (turn !== undefined) await turn
      try {
        return await work()
      } finally {
        leave(key)
      }
    },
  }
}
