import { setImmediate } from 'node:timers/promises'

/**
 * Groups what arrives anyway: while a batch is being committed, the next one fills. There is no
 * timer: a lone item leaves as soon as the event loop has turned.
 */
export interface Lane<Item, Result> {
  /** Settles when the batch that carried the item has been committed, or has refused it. */
  add(item: Item): Promise<Result>
  /** Waits for everything that was accepted. */
  idle(): Promise<void>
}

export interface LaneOptions<Item, Result> {
  /** Commits a batch; one result per item, in order. Fails as a whole or not at all. */
  readonly commit: (batch: readonly Item[]) => Promise<readonly Result[]>
  /** For certain nothing was kept. Otherwise, a lost connection say, trying again could store twice. */
  readonly isRefusal: (error: unknown) => boolean
  /** Items with the same key take the same lane, and so keep their order. */
  readonly keyOf: (item: Item) => number
  readonly lanes: number
  readonly mostPerBatch: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

export function openLane<Item, Result>(options: LaneOptions<Item, Result>): Lane<Item, Result> {
  const queues = Array.from({ length: options.lanes }, () => new Queue(options))
  return {
    add(item) {
      const queue = queues[options.keyOf(item) % queues.length]
      if (!queue) throw new Error('A lane key must be a whole number.')
      return queue.add(item)
    },
    async idle() {
      await Promise.all(queues.map((queue) => queue.idle()))
    },
  }
}

class Queue<Item, Result> {
  readonly #options: LaneOptions<Item, Result>
  #waiting: Waiting<Item, Result>[] = []
  #running: Promise<void> | undefined

  constructor(options: LaneOptions<Item, Result>) {
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
    await this.#running
  }

  async #run(): Promise<void> {
    // What this turn of the event loop adds, all requests that it reads, goes into the first batch.
    await setImmediate()
    while (this.#waiting.length > 0) {
      await this.#commit(this.#waiting.splice(0, this.#options.mostPerBatch))
    }
    this.#running = undefined
  }

  /** One bad item never fails its neighbours: a refused batch is tried again item by item. */
  async #commit(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(batch.map(({ item }) => item))
      for (const [place, { resolve }] of batch.entries()) {
        // `commit` promises one result per item.
        resolve(results[place] as Result)
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
