import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'

/** For whom the event loop works: a call, a listener, a job. */
export interface Turn {
  readonly operation: string
  /** Undefined: no app, or not known yet. */
  readonly appId?: string | undefined
  /** Is told how long the loop has worked since it was noted, when the next one is. */
  readonly onHeld?: ((ms: number) => void) | undefined
  /** Is told how long a connection to the database was held for it, when that is given back. */
  readonly onConnection?: ((ms: number) => void) | undefined
  /** See `inPart`. */
  readonly inPart?: InPart | undefined
}

/** Does a part of a large call; `isShared`: other apps call, too, so that it should be small. */
type InPart = <T>(work: (isShared: boolean) => Promise<T>) => Promise<T>

/** The loop was held for so long. The turn is the last that was noted before that. */
type OnBlock = (turn: Turn | undefined, ms: number) => void

const turns = new AsyncLocalStorage<Turn>()

// One event loop, so one of each.
let current: Turn | undefined
let noted = performance.now()
/** When `current` was noted, if it wants to know how long it has held the loop. */
let idleBefore = 0
let watching: Watch | undefined
let resting: Rest | undefined

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

/** One part of a large call, when it has paid for the time for which it has held the loop. */
export const inPart: InPart = (work) => {
  const wait = turns.getStore()?.inPart
  if (!wait) return work(false)
  return wait((isShared) => {
    resumeTurn()
    return work(isShared)
  })
}

/** Called where a connection is taken: what to call with the time for which it was held. */
export function connectionListener(): Turn['onConnection'] {
  return turns.getStore()?.onConnection
}

/** Whoever comes next finds how long the one before has held the loop. */
function note(turn: Turn | undefined): void {
  const now = performance.now()
  const ms = now - noted - (resting?.idleMs() ?? 0)
  const before = current
  noted = now
  current = turn
  resting?.wake()
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

/** While nothing happens: beats are rare, and the time that the loop was idle is taken off each gap. */
interface Rest {
  /** Since the last note. */
  idleMs(): number
  wake(): void
}

const restingMs = 250
/** So many beats without a turn and with an idle loop, and it rests. */
const quietBeats = 50
const quietUtilization = 0.05

/**
 * Until it is disposed of. In between, a timer notes that nobody has the loop: a gap is never idle
 * time, as long as the timer comes around more often than `atLeastMs`. In a process that rests it comes
 * less often, and the gap is counted without the idle time that the loop itself has measured.
 */
export function watchTurns(watch: Watch): Disposable {
  let timer: NodeJS.Timeout | undefined
  let quiet = 0
  let before = performance.eventLoopUtilization()

  function beat(): void {
    quiet = current ? 0 : quiet + 1
    const wasResting = resting !== undefined
    note(undefined)
    watch.onBeat()
    if (wasResting || quiet >= quietBeats) restIfIdle()
  }

  function restIfIdle(): void {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    quiet = 0
    if (utilization > quietUtilization) return
    const { idle } = before
    resting = {
      idleMs: () => performance.eventLoopUtilization().idle - idle,
      wake() {
        resting = undefined
        every(watch.everyMs)
      },
    }
    every(restingMs)
  }

  function every(ms: number): void {
    clearInterval(timer)
    timer = setInterval(beat, ms).unref()
  }

  note(undefined)
  watching = watch
  every(watch.everyMs)
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      resting = undefined
      if (watching === watch) watching = undefined
    },
  }
}
