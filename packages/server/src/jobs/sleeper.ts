type Woken<R extends string> = R | 'time' | 'closed'

/** Waits that can be ended early, one at a time. */
export interface Sleeper<R extends string> {
  /** While nobody sleeps, the next sleep ends at once. */
  wake(reason: R): void
  sleep(ms: number): Promise<Woken<R>>
  /** From now on no sleep lasts. */
  close(): void
}

export function openSleeper<R extends string>(): Sleeper<R> {
  let early: R | 'closed' | undefined
  let end: ((reason: Woken<R>) => void) | undefined
  return {
    wake(reason) {
      if (end) end(reason)
      else early ??= reason
    },
    async sleep(ms) {
      if (early) {
        const before = early
        if (before !== 'closed') early = undefined
        return before
      }
      const { promise, resolve } = Promise.withResolvers<Woken<R>>()
      const timer = setTimeout(() => resolve('time'), ms)
      end = resolve
      const reason = await promise
      end = undefined
      clearTimeout(timer)
      return reason
    },
    close() {
      early = 'closed'
      end?.('closed')
    },
  }
}

/** At most so long, and at least half: processes that started together shall not work together. */
export function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2)
}
