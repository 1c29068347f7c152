/**
 * Many reads of one moment, one statement. Requests that arrive while a statement is on its way
 * share the next one; nothing is kept after it was answered, so nothing is ever stale.
 */
export interface Loader<Key, Value> {
  load(key: Key): Promise<Value | undefined>
}

export interface LoaderOptions<Key, Value> {
  /** Reads all keys at once; a value for each, in their order, or none. */
  readonly fetch: (keys: readonly Key[]) => Promise<readonly (Value | undefined)[]>
  /** Equal keys have equal names. */
  readonly nameOf: (key: Key) => string
  /** Statements on their way at the same time. */
  readonly concurrency: number
  readonly maxPerBatch: number
  /** A statement that takes longer does not count: its connection may be dead. */
  readonly lateMs?: number
}

const usualLateMs = 1000
/** Statements in all, those that are late included: so many times the concurrency. */
const maxTimes = 2

interface Wanted<Key, Value> {
  readonly key: Key
  readonly settle: PromiseWithResolvers<Value | undefined>
}

export function openLoader<Key, Value>(options: LoaderOptions<Key, Value>): Loader<Key, Value> {
  const wanted = new Map<string, Wanted<Key, Value>>()
  let onTime = 0
  let late = 0
  let scheduled = false

  const schedule = () => {
    const isFull = onTime >= options.concurrency || late + onTime >= maxTimes * options.concurrency
    if (scheduled || isFull || wanted.size === 0) return
    scheduled = true
    // After this turn of the event loop, and so with all that the requests it reads want.
    setImmediate(() => {
      scheduled = false
      void send(take())
      schedule()
    })
  }

  const take = (): Wanted<Key, Value>[] => {
    const batch: Wanted<Key, Value>[] = []
    for (const [name, one] of wanted) {
      if (batch.length === options.maxPerBatch) break
      batch.push(one)
      wanted.delete(name)
    }
    return batch
  }

  const send = async (batch: readonly Wanted<Key, Value>[]) => {
    onTime++
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      onTime--
      late++
      schedule()
    }, options.lateMs ?? usualLateMs)
    try {
      const found = await options.fetch(batch.map(({ key }) => key))
      for (const [nth, { settle }] of batch.entries()) settle.resolve(found[nth])
    } catch (error) {
      for (const { settle } of batch) settle.reject(error)
    } finally {
      clearTimeout(timer)
      if (isLate) late--
      else onTime--
      schedule()
    }
  }

  return {
    load(key) {
      const name = options.nameOf(key)
      const known = wanted.get(name)
      if (known) return known.settle.promise
      const settle = Promise.withResolvers<Value | undefined>()
      wanted.set(name, { key, settle })
      schedule()
      return settle.promise
    },
  }
}

/** For `fetch`: rows say the place of the key they answer, counted from 1. */
export function byPlace<Row extends { readonly place: number }>(
  keys: readonly unknown[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const found: (Row | undefined)[] = keys.map(() => undefined)
  for (const row of rows) found[row.place - 1] = row
  return found
}
