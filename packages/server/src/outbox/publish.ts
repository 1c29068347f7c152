import type { Logger } from 'pino'
import { type Tracer, traced } from '../tracing/tracer.ts'
import { type Batch, batchesOf, batchOf } from './batches.ts'
import type { Clearing } from './clearing.ts'
import type { CommitHook, Committed } from './committed.ts'

/** Where batches go. Keeps the order in which it is called. */
export interface BatchStream {
  /** Rejects while NATS is away. */
  open(): Promise<unknown>
  /** Settles when it is stored; rejects, at once while NATS is away, when it may not be. */
  publish(batch: Batch): Promise<void>
}

/**
 * Publishes from memory what this process has committed. When that fails, it falls `behind`: from
 * then on everything is left to the sweeper, so that nothing new overtakes what was left.
 */
export interface Publisher extends AsyncDisposable {
  readonly onCommit: CommitHook
  readonly behind: boolean
  /** Called when it falls behind. */
  onBehind(notify: () => void): void
  /** Keeps what is committed from now on. The sweeper calls this when it has almost caught up. */
  hold(): void
  /** Publishes what was kept, and goes on from memory. */
  resume(): void
}

const maxInFlight = 512
const maxHeld = 2000

export function openPublisher(
  stream: BatchStream,
  clearing: Clearing,
  log: Logger,
  tracer?: Tracer,
): Publisher {
  let mode: 'direct' | 'behind' | 'holding' = 'direct'
  let held: Committed[] = []
  const inFlight = new Set<Promise<void>>()
  const listeners: (() => void)[] = []

  function fallBehind(reason: unknown): void {
    held = []
    if (mode === 'behind') return
    mode = 'behind'
    log.warn({ err: reason }, 'could not publish events to NATS; the sweeper publishes them later')
    for (const notify of listeners) notify()
  }

  async function store(
    batches: readonly Batch[],
    trace: string | undefined,
    done: () => void,
  ): Promise<void> {
    const publishAll = () => Promise.all(batches.map((batch) => stream.publish(batch)))
    try {
      await (trace
        ? traced(tracer, 'publish to NATS', 'producer', [trace], publishAll)
        : publishAll())
      done()
    } catch (error) {
      fallBehind(error)
    }
  }

  function start(batches: readonly Batch[], trace: string | undefined, done: () => void): void {
    const work = store(batches, trace, done).finally(() => inFlight.delete(work))
    inFlight.add(work)
  }

  function publish({ events, appends }: Committed): void {
    for (const append of appends) {
      start(batchesOf(append), append.trace, () => clearing.receipt(append.receipt))
    }
    for (const event of events) start([batchOf(event)], event.trace, () => clearing.event(event.id))
  }

  return {
    onCommit(committed) {
      if (mode === 'direct' && inFlight.size < maxInFlight) publish(committed)
      else if (mode === 'direct') fallBehind(new Error('NATS is too slow.'))
      else if (mode === 'holding' && held.length < maxHeld) held.push(committed)
      else fallBehind(new Error('Too much was committed while the sweeper caught up.'))
    },
    get behind() {
      return mode !== 'direct'
    },
    onBehind: (notify) => void listeners.push(notify),
    hold() {
      if (mode === 'behind') mode = 'holding'
    },
    resume() {
      if (mode !== 'holding') return
      const kept = held
      held = []
      mode = 'direct'
      log.info('publishing events to NATS directly again')
      for (const committed of kept) publish(committed)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(inFlight)
    },
  }
}
