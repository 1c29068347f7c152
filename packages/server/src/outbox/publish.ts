import type { Logger } from 'pino'
import { openUnderWay } from '../limits/under-way.ts'
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

/**
 * What is committed within this time goes to the stream in one write: at 1,000 sends a second, a write for
 * each batch took a tenth of the service's CPU. Devices hear of it at once, by signals.
 */
const gatherMs = 10
const maxGathered = 200
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
  const gathered = openGathered(publish)
  const inFlight = openUnderWay<Promise<void>>()
  const listeners: (() => void)[] = []

  function fallBehind(reason: unknown): void {
    held = []
    gathered.drop()
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
      await traced(tracer, 'publish to NATS', 'producer', [trace], publishAll)
      done()
    } catch (error) {
      fallBehind(error)
    }
  }

  function start(...what: Parameters<typeof store>): void {
    const work = store(...what)
    const place = inFlight.add(work)
    void work.finally(() => inFlight.remove(place))
  }

  function publish(all: readonly Committed[]): void {
    for (const { events, appends } of all) {
      for (const append of appends) {
        start(batchesOf(append), append.trace, () => clearing.receipt(append.receipt))
      }
      for (const event of events) {
        start([batchOf(event)], event.trace, () => clearing.event(event.id))
      }
    }
  }

  return {
    onCommit(committed) {
      if (mode === 'direct' && inFlight.size < maxInFlight) gathered.add(committed)
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
      publish(kept)
    },
    async [Symbol.asyncDispose]() {
      gathered.publish()
      await Promise.all(inFlight.all())
    },
  }
}

/** What was committed and is published together, soon. */
function openGathered(publish: (all: readonly Committed[]) => void) {
  let gathered: Committed[] = []
  let timer: NodeJS.Timeout | undefined

  function take(): readonly Committed[] {
    clearTimeout(timer)
    timer = undefined
    const all = gathered
    gathered = []
    return all
  }

  const publishAll = () => publish(take())
  return {
    add(committed: Committed): void {
      gathered.push(committed)
      if (gathered.length >= maxGathered) publishAll()
      else timer ??= setTimeout(publishAll, gatherMs)
    },
    publish: publishAll,
    drop: (): void => void take(),
  }
}
