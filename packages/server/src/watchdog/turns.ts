import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'

/** For whom the event loop works: a call, a listener, a job. */
export interface Turn {
  readonly operation: string
  /** Undefined: no app, or not known yet. */
  readonly appId?: string | undefined
  /** Is told how long the loop has worked since it was noted, when the next one is. */
  readonly onHeld?: ((ms: number) => void) | undefined
}

/** The loop was held for so long. The turn is the last that was noted before that. */
type OnBlock = (turn: Turn | undefined, ms: number) => void

const turns = new AsyncLocalStorage<Turn>()

// One event loop, so one of each.
let current: Turn | undefined
let noted = performance.now()
/** When `current` was noted, if it wants to know how long it has held the loop. */
let idleBefore = 0
let watching: Watch | undefined

/** All that it does, also behind a wait, is done for this turn. */
export function inTurn<T>(turn: Turn, work: () => T): T {
  note(turn)
  return turns.run(turn, work)
}

/** Said where work goes on behind a wait: others had their turns meanwhile. */
export function resumeTurn(): void {
  const turn = turns.getStore()
  if (turn) note(turn)
}

/** Whoever comes next finds how long the one before has held the loop. */
function note(turn: Turn | undefined): void {
  const now = performance.now()
  const ms = now - noted
  const before = current
  noted = now
  current = turn
  if (watching && ms >= watching.atLeastMs) watching.onBlock(before, ms)
  if (before?.onHeld) before.onHeld(ms - (idleMs() - idleBefore))
  if (turn?.onHeld) idleBefore = idleMs()
}

/** How long the loop has had nothing to do, since the process started. */
function idleMs(): number {
  return performance.nodeTiming.idleTime
}

interface Watch {
  readonly everyMs: number
  readonly atLeastMs: number
  readonly onBlock: OnBlock
  /** The loop has come around. */
  readonly onBeat: () => void
}

/**
 * Until it is disposed of. In between, a timer notes that nobody has the loop: a gap is never idle
 * time, as long as the timer comes around more often than `atLeastMs`.
 */
export function watchTurns(watch: Watch): Disposable {
  note(undefined)
  watching = watch
  const timer = setInterval(() => {
    note(undefined)
    watch.onBeat()
  }, watch.everyMs)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      if (watching === watch) watching = undefined
    },
  }
}
