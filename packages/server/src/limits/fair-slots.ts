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
  readonly maxPerKey: number
  /** Of a key while no other runs or waits; as many as otherwise where it is not said. */
  readonly maxAlone?: number
  readonly maxWaitingPerKey: number
  /** Who has waited this long is refused as well; for ever where it is not said. */
  readonly patienceMs?: number
}

export class NoSlot extends Error {}

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

export function openFairSlots(options: FairSlotsOptions): FairSlots {
  // Only keys with something running or waiting; in the order in which they are served next.
  const queues = new Map<string, Queue>()
  let running = 0

  const queueOf = (key: string): Queue => {
    const known = queues.get(key)
    if (known) return known
    const fresh = { running: 0, waiting: [] }
    queues.set(key, fresh)
    return fresh
  }

  const start = (queue: Queue) => {
    running++
    queue.running++
  }

  const dropIfEmpty = (key: string, queue: Queue) => {
    if (queue.running + queue.waiting.length === 0) queues.delete(key)
  }

  const shareOf = () =>
    queues.size === 1 ? (options.maxAlone ?? options.maxPerKey) : options.maxPerKey

  const serve = (queue: Queue): boolean => {
    if (running >= options.most || queue.running >= shareOf()) return false
    const next = queue.waiting.shift()
    if (!next) return false
    start(queue)
    next()
    return true
  }

  const serveFirst = (): boolean => {
    for (const queue of queues.values()) if (serve(queue)) return true
    return false
  }

  const wait = (key: string, queue: Queue): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    queue.waiting.push(resolve)
    if (options.patienceMs === undefined) return promise
    const timer = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(resolve), 1)
      dropIfEmpty(key, queue)
      reject(new NoSlot('It took too long.'))
    }, options.patienceMs)
    return promise.finally(() => clearTimeout(timer))
  }

  const enter = (key: string): Promise<void> | undefined => {
    const queue = queueOf(key)
    if (running < options.most && queue.running < shareOf()) {
      start(queue)
      return undefined
    }
    if (queue.waiting.length < options.maxWaitingPerKey) return wait(key, queue)
    dropIfEmpty(key, queue)
    throw new NoSlot('Too many wait already.')
  }

  const leave = (key: string) => {
    const queue = queueOf(key)
    const wasFull = running >= options.most
    running--
    queue.running--
    // Whoever had a slot stands behind the others.
    queues.delete(key)
    if (queue.running + queue.waiting.length > 0) queues.set(key, queue)
    // While there is room for all, only this key can have waited for its own.
    if (wasFull || queues.size === 1) while (serveFirst());
    else serve(queue)
  }

  return {
    enter,
    leave,
    waiting: () => queues.values().reduce((sum, queue) => sum + queue.waiting.length, 0),
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
