import type { HeardEvent } from '../outbox/listener.ts'

/** Events of several messages, handled at once. */
export interface Gathering {
  /** False: that did not go well, and each message is to be handled by itself. */
  add(appId: string, events: readonly HeardEvent[]): Promise<boolean>
}

interface Waiting {
  readonly events: readonly HeardEvent[]
  readonly settle: (handled: boolean) => void
}

interface Gathered {
  waiting: Waiting[]
  isRunning: boolean
  /** Runs for a while after each handling. */
  timer: NodeJS.Timeout | undefined
}

/** From one handling of an app's events to the next. Nobody waits for them. */
const pauseMs = 250
/** So many do not wait for the end of the pause. NATS hands out 64 messages at most. */
const maxMessages = 32
const maxEvents = 500

/**
 * A lone message is handled at once; those that follow it closely share a handling. When the process
 * stops, those that wait for one are not handled.
 */
export function openGathering(
  handle: (appId: string, events: readonly HeardEvent[]) => Promise<boolean>,
  stopping: AbortSignal,
): Gathering {
  const apps = new Map<string, Gathered>()

  async function run(appId: string, gathered: Gathered): Promise<void> {
    clearTimeout(gathered.timer)
    gathered.timer = undefined
    gathered.isRunning = true
    const taken = take(gathered)
    const handled = await handle(
      appId,
      taken.flatMap(({ events }) => events),
    )
    for (const { settle } of taken) settle(handled)
    gathered.isRunning = false
    if (stopping.aborted) return
    if (isFull(gathered)) return run(appId, gathered)
    gathered.timer = setTimeout(() => {
      gathered.timer = undefined
      if (gathered.waiting.length === 0) apps.delete(appId)
      else void run(appId, gathered)
    }, pauseMs)
  }

  stopping.addEventListener('abort', () => {
    for (const { timer, waiting } of apps.values()) {
      clearTimeout(timer)
      for (const { settle } of waiting.splice(0)) settle(false)
    }
  })

  return {
    async add(appId, events) {
      if (stopping.aborted) return false
      const gathered = apps.get(appId) ?? { waiting: [], isRunning: false, timer: undefined }
      apps.set(appId, gathered)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      gathered.waiting.push({ events, settle: resolve })
      const isIdle = gathered.timer === undefined || isFull(gathered)
      if (isIdle && !gathered.isRunning) void run(appId, gathered)
      return promise
    },
  }
}

function isFull({ waiting }: Gathered): boolean {
  return waiting.length >= maxMessages || countOf(waiting) >= maxEvents
}

function countOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { events }) => sum + events.length, 0)
}

/** The oldest, up to the limit; one message at least. */
function take(gathered: Gathered): Waiting[] {
  let count = 0
  const end = gathered.waiting.findIndex(({ events }, place) => {
    count += events.length
    return place > 0 && count > maxEvents
  })
  return gathered.waiting.splice(0, end < 0 ? gathered.waiting.length : end)
}
