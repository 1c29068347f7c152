import { openUnderWay } from '../limits/under-way.ts'

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
  /** Items with the same order keep it, and so are never on their way in two batches. */
  readonly orderOf: (item: Item) => number
  readonly maxPerBatch: number
  /** So many batches are on their way at once while few items wait or are on their way. */
  readonly concurrency: number
  /** So many are few. */
  readonly maxFew: number
  /** So many batches are on their way at once while more items wait. */
  readonly concurrencyOfMany: number
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

interface Outcome<Item, Result> {
  readonly waiting: Waiting<Item, Result>
  readonly result: Result | Error
}

/** On its way. */
interface Batch {
  readonly size: number
  readonly orders: ReadonlySet<number>
  /** Without an answer for some time, on a connection that may be dead. */
  isLate: boolean
}

export function openBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  return new Queue(options)
}

class Queue<Item, Result> implements Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>
  readonly #batches = openUnderWay<Batch>()
  #waiting: Waiting<Item, Result>[] = []
  #isScheduled = false
  #idle: PromiseWithResolvers<void> | undefined

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#waiting.push({ item, resolve, reject })
    this.#schedule()
    return promise
  }

  async idle(): Promise<void> {
    while (this.#waiting.length + this.#batches.size > 0) {
      this.#idle ??= Promise.withResolvers<void>()
      await this.#idle.promise
    }
  }

  /** What this turn of the event loop adds, all requests that it reads, goes into one batch. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#start()
    })
  }

  #start(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      const batch = this.#take()
      if (batch.length === 0) return
      void this.#send(batch)
    }
  }

  #hasRoom(): boolean {
    const { concurrency, maxFew, concurrencyOfMany } = this.#options
    let [late, running, items] = [0, 0, this.#waiting.length]
    for (const { isLate, size } of this.#batches.all()) {
      if (isLate) late++
      else running++
      if (!isLate) items += size
    }
    if (late >= maxLate) return false
    return running < (items <= maxFew ? concurrency : concurrencyOfMany)
  }

  /** Those whose order nobody holds who is on the way. */
  #take(): Waiting<Item, Result>[] {
    const { maxPerBatch, orderOf } = this.#options
    if (this.#batches.size === 0) return this.#waiting.splice(0, maxPerBatch)
    const batches = this.#batches.all()
    const isHeld = (order: number) => {
      for (const { orders } of batches) if (orders.has(order)) return true
      return false
    }
    const taken: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    for (const one of this.#waiting) {
      const isFree = taken.length < maxPerBatch && !isHeld(orderOf(one.item))
      if (isFree) taken.push(one)
      else left.push(one)
    }
    this.#waiting = left
    return taken
  }

  async #send(items: readonly Waiting<Item, Result>[]): Promise<void> {
    const { orderOf, lateMs = usualLateMs } = this.#options
    const orders = new Set(items.map(({ item }) => orderOf(item)))
    const batch: Batch = { size: items.length, orders, isLate: false }
    const place = this.#batches.add(batch)
    const timer = setTimeout(() => {
      batch.isLate = true
      this.#start()
    }, lateMs)
    const outcome = await this.#commit(items)
    clearTimeout(timer)
    this.#batches.remove(place)
    // Before those who wait hear of it: the database works while their answers are written.
    this.#start()
    settle(outcome)
    if (this.#waiting.length + this.#batches.size > 0) return
    this.#idle?.resolve()
    this.#idle = undefined
  }

  /** One bad item never fails its neighbours: a refused batch is tried again item by item. */
  async #commit(batch: readonly Waiting<Item, Result>[]): Promise<Outcome<Item, Result>[]> {
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item))
      // `commit` promises one result per item.
      return batch.map((waiting, place) => ({ waiting, result: results[place] as Result | Error }))
    } catch (error) {
      if (batch.length === 1 || !this.#options.isRefusal(error)) {
        const failure = error instanceof Error ? error : new Error(String(error))
        return batch.map((waiting) => ({ waiting, result: failure }))
      }
      const outcomes: Outcome<Item, Result>[] = []
      for (const one of batch) outcomes.push(...(await this.#commit([one])))
      return outcomes
    }
  }
}

function settle<Item, Result>(outcomes: readonly Outcome<Item, Result>[]): void {
  for (const { waiting, result } of outcomes) {
    if (result instanceof Error) waiting.reject(result)
    else waiting.resolve(result)
  }
}
