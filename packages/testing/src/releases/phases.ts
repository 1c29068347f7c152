/** What the callers have seen while one step of an upgrade was taken. */
export interface Phase {
  readonly name: string
  readonly seconds: number
  /** Over HTTP. */
  readonly requests: number
  readonly failed: number
  readonly longestMs: number
  /** Messages that devices sent over their sockets, whatever became of the socket meanwhile. */
  readonly socketSends: number
  readonly longestSocketSendMs: number
}

type Kind = 'request' | 'socketSend'

export interface Phases {
  begin(name: string): void
  /** Counts a call for the phase in which it began. What it throws is a failure. */
  measure<T>(kind: Kind, call: () => Promise<T>): Promise<T | undefined>
  /** Of the current phase. */
  requests(): number
  readonly failures: readonly string[]
  /** Of those that have ended. */
  readonly ended: readonly Phase[]
}

export function openPhases(): Phases {
  const failures: string[] = []
  const ended: Phase[] = []
  let current = emptyPhase('')
  return {
    failures,
    ended,
    requests: () => current.request.length,
    begin(name) {
      if (current.name !== '') ended.push(figuresOf(current))
      current = emptyPhase(name)
    },
    async measure(kind, call) {
      const phase = current
      const start = performance.now()
      try {
        return await call()
      } catch (error) {
        phase.failed++
        const cause = error instanceof Error && error.cause ? `: ${error.cause}` : ''
        failures.push(`${phase.name}: ${error}${cause}`)
        return undefined
      } finally {
        phase[kind].push(performance.now() - start)
      }
    },
  }
}

const emptyPhase = (name: string) => ({
  name,
  startedAt: performance.now(),
  failed: 0,
  // How long each took.
  request: [] as number[],
  socketSend: [] as number[],
})

function figuresOf({
  name,
  startedAt,
  failed,
  request,
  socketSend,
}: ReturnType<typeof emptyPhase>) {
  return {
    name,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    requests: request.length,
    failed,
    longestMs: Math.round(Math.max(0, ...request)),
    socketSends: socketSend.length,
    longestSocketSendMs: Math.round(Math.max(0, ...socketSend)),
  }
}
