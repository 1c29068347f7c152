/** Work of the same key is done in the order it came, one at a time. */
export interface Turns {
  take(key: string, work: () => Promise<void>): Promise<void>
}

export function openTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    take(key, work) {
      const turn = (last.get(key) ?? Promise.resolve()).then(work)
      // Whoever comes next does not care how this one ended.
      const ended = turn.catch(() => undefined)
      last.set(key, ended)
      void ended.then(() => {
        if (last.get(key) === ended) last.delete(key)
      })
      return turn
    },
  }
}

/** At most so many at once; the others wait in the order they came. */
export interface Slots {
  use<T>(work: () => Promise<T>): Promise<T>
}

export function openSlots(most: number): Slots {
  let free = most
  const waiting: (() => void)[] = []
  return {
    async use(work) {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        const next = waiting.shift()
        if (next) next()
        else free++
      }
    },
  }
}
