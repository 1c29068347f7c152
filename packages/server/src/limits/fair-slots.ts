/** At most so many at once, and of one key no more than its share. Keys that wait take turns. */
export interface FairSlots {
  /** Rejects with `NoSlot` when too many of this key wait already. */
  use<T>(key: string, work: () => Promise<T>): Promise<T>
}

export interface FairSlotsOptions {
  readonly most: number
  readonly mostPerKey: number
  readonly mostWaitingPerKey: number
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

  /** Whoever had a slot stands behind the others. */
  const end = (key: string, lane: Lane) => {
    running--
    lane.running--
    lanes.delete(key)
    if (lane.running + lane.waiting.length > 0) lanes.set(key, lane)
  }

  const enter = async (key: string, lane: Lane): Promise<void> => {
    if (running < options.most && lane.running < options.mostPerKey) return start(lane)
    if (lane.waiting.length >= options.mostWaitingPerKey) {
      if (lane.running + lane.waiting.length === 0) lanes.delete(key)
      throw new NoSlot('Too many wait already.')
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    lane.waiting.push(resolve)
    await promise
  }

  const serveNext = () => {
    for (const lane of lanes.values()) {
      if (lane.running >= options.mostPerKey) continue
      const next = lane.waiting.shift()
      if (!next) continue
      start(lane)
      return next()
    }
  }

  return {
    async use(key, work) {
      const lane = laneOf(key)
      await enter(key, lane)
      try {
        return await work()
      } finally {
        end(key, lane)
        serveNext()
      }
    },
  }
}
