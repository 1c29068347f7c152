import { setImmediate } from 'node:timers/promises'

/**
 * Groups what arrives anyway: while a batch is being committed, the next one fills. There is no
 * timer: a lone item leaves as soon as the event loop has turned.
 */
export interface Batcher<Item, Result> {
  /** Settles when the batch that carried the item has been committed, or has refused it. */
  add(item: Item): Promise<Result>
  /** Waits for everything that was accepted. */
  idle(): Promise<void>
}

export interface BatcherOptions<Item, Result> {
  /**
   * Commits a batch; one result per item, in order. Fails as a whole or not at all; an item of which
   * nothing was kept may have an error as its result.
   */
  readonly commit: (batch: readonly Item[]) => Promise<readonly (Result | Error)[]>
  /** For certain nothing was kept. Otherwise, a lost connection say, trying again could store twice. */
  readonly isRefusal: (error: unknown) => boolean
  /** Items with the same key take the same batcher. */
  readonly keyOf: (item: Item) => number
  /** Items with the same order keep it, and so are never on their way in two batches. */
  readonly orderOf: (item: Item) => number
  readonly batchers: number
  readonly maxPerBatch: number
  /** A batch that takes longer holds up only what must keep its order with it. */
  readonly lateMs?: number
}

const usualLateMs = 1000
/** Each holds a connection. */
const maxLate = 3

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export function openBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const queues = Array.from({ length: options.batchers }, () => new Queue(options))
  return {
    add(item) {
      const queue = queues[options.keyOf(item) % queues.length]
      if (!queue) throw new Error('A batcher key must be a whole number.')
      return queue.add(item)
    },
    async idle() {
      await Promise.all(queues.map((queue) => queue.idle()))
    },
  }
}

class Queue<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #running: Promise<void> | undefined
  /** Batches without an answer for some time, on a connection that may be dead, and their orders. */
  readonly #late = new Map<Promise<void>, ReadonlySet<number>>()

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
    })
    this.#running ??= this.#run()
    return result
  }

  async idle(): Promise<void> {
    while (this.#running || this.#late.size > 0) {
      await this.#running
      await Promise.all(this.#late.keys())
    }
  }

  async #run(): Promise<void> {
    // What this turn of the event loop adds, all requests that it reads, goes into the first batch.
    await setImmediate()
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      const done = this.#commit(batch)
      if (!(await this.#isDoneInTime(done))) this.#setAside(done, batch)
    }
    this.#running = undefined
  }

  #take(): Waiting<Item, Result>[] {
    const { maxPerBatch, orderOf } = this.#options
    if (this.#late.size === 0) return this.#waiting.splice(0, maxPerBatch)
    if (this.#late.size >= maxLate) return []
    const held = new Set([...this.#late.values()].flatMap((orders) => [...orders]))
    const free = this.#waiting.filter(({ item }) => !held.has(orderOf(item)))
    const batch = new Set(free.slice(0, maxPerBatch))
    this.#waiting = this.#waiting.filter((one) => !batch.has(one))
    return [...batch]
  }

  async #isDoneInTime(done: Promise<void>): Promise<boolean> {
    const late = Promise.withResolvers<false>()
    const timer = setTimeout(() => late.resolve(false), this.#options.lateMs ?? usualLateMs)
    try {
      return await Promise.race([done.then(() => true), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  #setAside(done: Promise<void>, batch: readonly Waiting<Item, Result>[]): void {
    const { orderOf } = this.#options
    this.#late.set(done, new Set(batch.map(({ item }) => orderOf(item))))
    void done.then(() => {
      this.#late.delete(done)
      this.#running ??= this.#run()
    })
  }

  /** One bad item never fails its neighbours: a refused batch is tried again item by item. */
  async #commit(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item))
      for (const [place, { resolve, reject }] of batch.entries()) {
        const result = results[place]
        // `commit` promises one result per item.
        if (result instanceof Error) reject(result)
        else resolve(result as Result)
      }
    } catch (error) {
      if (batch.length > 1 && this.#options.isRefusal(error)) {
        for (const one of batch) await this.#commit([one])
      } else {
        for (const { reject } of batch) reject(error)
      }
    }
  }
}
