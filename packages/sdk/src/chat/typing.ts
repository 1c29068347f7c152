import { type LiveSource, openLive } from './live.ts'

/** While keys are pressed, the others are told this often. */
const repeatMs = 3000
/** After the last key. */
const idleMs = 5000
/** Longer than `repeatMs`: who has gone without a word is not shown for ever. */
const expiresMs = 7000

type Timer = ReturnType<typeof setTimeout>

/** One's own typing: told at most every few seconds, and ended by itself. */
export interface OwnTyping {
  /** A key was pressed. */
  press(): void
  end(): void
}

export function openOwnTyping(say: (state: 'started' | 'ended') => void): OwnTyping {
  let saidAt: number | undefined
  let timer: Timer | undefined

  function end(): void {
    clearTimeout(timer)
    if (saidAt !== undefined) say('ended')
    saidAt = undefined
  }

  return {
    press() {
      clearTimeout(timer)
      timer = setTimeout(end, idleMs)
      if (saidAt !== undefined && Date.now() - saidAt < repeatMs) return
      saidAt = Date.now()
      say('started')
    },
    end,
  }
}

/** Who types in a conversation. */
export interface TypingUsers {
  readonly live: LiveSource<readonly string[]>
  hear(uid: string, state: 'started' | 'ended'): void
  clear(): void
}

export function openTypingUsers(onChange: () => void): TypingUsers {
  const timers = new Map<string, Timer>()
  const live = openLive<readonly string[]>(() => [...timers.keys()])

  function change(): void {
    live.changed()
    onChange()
  }

  function end(uid: string): void {
    clearTimeout(timers.get(uid))
    if (timers.delete(uid)) change()
  }

  return {
    live,
    hear(uid, state) {
      if (state === 'ended') return end(uid)
      clearTimeout(timers.get(uid))
      const isNew = !timers.has(uid)
      timers.set(
        uid,
        setTimeout(() => end(uid), expiresMs),
      )
      if (isNew) change()
    },
    clear() {
      for (const uid of [...timers.keys()]) end(uid)
    },
  }
}
