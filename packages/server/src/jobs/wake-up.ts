/** Messages between processes, of which one may be lost. */
interface Signals {
  publish(subject: string, text: string): void
  listen(subject: string, hear: (text: string) => void): () => void
  onRestored(restored: () => void): void
}

/** Ends the waits of whoever listens to a name: the runner of a queue, for one. */
export interface WakeUp {
  /** Those who listen to these names, after the commit of what they wait for. */
  wake(names: Iterable<string>): void
  /** Returns how to stop. Called without a cause, too: after an absence of NATS anything may be missed. */
  listen(name: string, wake: () => void): () => void
}

const subject = 'wake'
/** Commits of so short a time send one signal. */
const gatherMs = 10

/**
 * Listeners of this process are woken at once, those of others by a signal. A signal that is lost costs a poll.
 * Disposing sends what has not been sent.
 */
export function openWakeUp(signals: Signals): WakeUp & Disposable {
  const listeners = new Map<string, Set<() => void>>()
  const unsent = new Set<string>()
  let stop: (() => void) | undefined

  function wakeHere(name: string): void {
    for (const one of listeners.get(name) ?? []) one()
  }

  function send(): void {
    for (const name of unsent) signals.publish(subject, name)
    unsent.clear()
  }

  signals.onRestored(() => {
    for (const name of listeners.keys()) wakeHere(name)
  })

  return {
    wake(names) {
      for (const name of names) {
        wakeHere(name)
        if (unsent.size === 0) setTimeout(send, gatherMs)
        unsent.add(name)
      }
    },
    listen(name, one) {
      stop ??= signals.listen(subject, wakeHere)
      const waiting = listeners.get(name) ?? new Set()
      listeners.set(name, waiting.add(one))
      return () => {
        waiting.delete(one)
        if (waiting.size === 0) listeners.delete(name)
        if (listeners.size > 0) return
        stop?.()
        stop = undefined
      }
    },
    [Symbol.dispose]: send,
  }
}
