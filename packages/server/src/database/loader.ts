/**
 * Many reads of one moment, one statement. Requests that arrive while a statement is on its way
 * share the next one; nothing is kept after it was answered, so nothing is ever stale.
 */
export interface Loader<Key, Value> {
  load(key: Key): Promise<Value | undefined>
}

export interface LoaderOptions<Key, Value> {
  /** Reads all keys at once; what does not exist is left out. */
  readonly fetch: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>
  /** Equal keys have equal names. */
  readonly nameOf: (key: Key) => string
  /** Statements on their way at the same time. */
  readonly concurrency: number
  readonly mostPerBatch: number
}

interface Wanted<Key, Value> {
  readonly key: Key
  readonly settle: PromiseWithResolvers<Value | undefined>
}

export function openLoader<Key, Value>(options: LoaderOptions<Key, Value>): Loader<Key, Value> {
  let wanted = new Map<string, Wanted<Key, Value>>()
  let underWay = 0
  let scheduled = false

  const schedule = () => {
    if (scheduled || underWay >= options.concurrency || wanted.size === 0) return
    scheduled = true
    // After this turn of the event loop, and so with all that the requests it reads want.
    setImmediate(() => {
      scheduled = false
      void send(take())
      schedule()
    })
  }

  const take = (): Map<string, Wanted<Key, Value>> => {
    const batch = new Map([...wanted].slice(0, options.mostPerBatch))
    wanted = new Map([...wanted].slice(options.mostPerBatch))
    return batch
  }

  const send = async (batch: ReadonlyMap<string, Wanted<Key, Value>>) => {
    underWay++
    try {
      const found = await options.fetch([...batch.values()].map(({ key }) => key))
      for (const [name, { settle }] of batch) settle.resolve(found.get(name))
    } catch (error) {
      for (const { settle } of batch.values()) settle.reject(error)
    } finally {
      underWay--
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
export function byName<Key, Row extends { readonly place: number }>(
  keys: readonly Key[],
  rows: readonly Row[],
  nameOf: (key: Key) => string,
): Map<string, Row> {
  return new Map(
    rows.flatMap((row) => {
      const key = keys[row.place - 1]
      return key === undefined ? [] : [[nameOf(key), row]]
    }),
  )
}
