/** Messages between processes, of which one may be lost. */
interface Signals {
  publish(subject: string, text: string): void
  listen(subject: string, hear: (text: string) => void): () => void
}

export interface WakeUp {
  /** The runners of these queues, after the commit that has added jobs to them. */
  wake(queues: Iterable<string>): void
  /** Returns how to stop. */
  listen(queue: string, wake: () => void): () => void
}

const subject = 'jobs'
/** Commits of so short a time send one signal. */
const gatherMs = 10

/** Runners of this process are woken at once, those of others by a signal. A signal that is lost costs a poll. */
export function openWakeUp(signals: Signals): WakeUp {
  const runners = new Map<string, Set<() => void>>()
  const unsent = new Set<string>()
  let stop: (() => void) | undefined

  function wakeHere(queue: string): void {
    for (const one of runners.get(queue) ?? []) one()
  }

  function send(): void {
    for (const queue of unsent) signals.publish(subject, queue)
    unsent.clear()
  }

  return {
    wake(queues) {
      for (const queue of queues) {
        wakeHere(queue)
        if (unsent.size === 0) setTimeout(send, gatherMs)
        unsent.add(queue)
      }
    },
    listen(queue, one) {
      stop ??= signals.listen(subject, wakeHere)
      const waiting = runners.get(queue) ?? new Set()
      runners.set(queue, waiting.add(one))
      return () => {
        waiting.delete(one)
        if (waiting.size === 0) runners.delete(queue)
        if (runners.size > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}
