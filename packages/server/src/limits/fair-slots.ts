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
  /** A share that changes is looked at when a slot is wanted or left. Never under one. */
  readonly maxPerKey: number | ((key: string, isAlone: boolean) => number)
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
  return new Slots(options)
}

class Slots implements FairSlots {
  readonly #options: FairSlotsOptions
  /** Only keys with something running or waiting; in the order in which they are served next. */
  readonly #queues = new Map<string, Queue>()
  #running = 0

  constructor(options: FairSlotsOptions) {
    this.#options = options
  }

  async use<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = this.enter(key)
    if (turn !== undefined) await turn
    try {
      return await work()
    } finally {
      this.leave(key)
    }
  }

  enter(key: string): Promise<void> | undefined {
    const queue = this.#queueOf(key)
    if (this.#hasRoomFor(key, queue)) {
      this.#start(queue)
      return undefined
    }
    if (queue.waiting.length < this.#options.maxWaitingPerKey) return this.#wait(key, queue)
    this.#dropIfEmpty(key, queue)
    throw new NoSlot('Too many wait already.')
  }

  leave(key: string): void {
    const queue = this.#queueOf(key)
    const wasFull = this.#running >= this.#options.most
    this.#running--
    queue.running--
    // Whoever had a slot stands behind the others.
    this.#queues.delete(key)
    if (queue.running + queue.waiting.length > 0) this.#queues.set(key, queue)
    // While there is room for all, only this key can have waited for its own.
    if (wasFull || this.#queues.size === 1) while (this.#serveFirst());
    else this.#serve(key, queue)
  }

  waiting(): number {
    return this.#queues.values().reduce((sum, queue) => sum + queue.waiting.length, 0)
  }

  #queueOf(key: string): Queue {
    const known = this.#queues.get(key)
    if (known) return known
    const fresh = { running: 0, waiting: [] }
    this.#queues.set(key, fresh)
    return fresh
  }

  #hasRoomFor(key: string, queue: Queue): boolean {
    const { most, maxPerKey } = this.#options
    const share =
      typeof maxPerKey === 'number' ? maxPerKey : maxPerKey(key, this.#queues.size === 1)
    return this.#running < most && queue.running < share
  }

  #start(queue: Queue): void {
    this.#running++
    queue.running++
  }

  #serveFirst(): boolean {
    for (const [key, queue] of this.#queues) if (this.#serve(key, queue)) return true
    return false
  }

  #serve(key: string, queue: Queue): boolean {
    const next = this.#hasRoomFor(key, queue) ? queue.waiting.shift() : undefined
    if (!next) return false
    this.#start(queue)
    next()
    return true
  }

  #wait(key: string, queue: Queue): Promise<void> {
    const { patienceMs } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    queue.waiting.push(resolve)
    if (patienceMs === undefined) return promise
    const timer = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(resolve), 1)
      this.#dropIfEmpty(key, queue)
      reject(new NoSlot('It took too long.'))
    }, patienceMs)
    return promise.finally(() => clearTimeout(timer))
  }

  #dropIfEmpty(key: string, queue: Queue): void {
    if (queue.running + queue.waiting.length === 0) this.#queues.delete(key)
  }
}
