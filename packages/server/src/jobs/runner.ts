import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { InstallDb } from '../database/app-db.ts'
import { type Tracer, traced } from '../tracing/tracer.ts'
import { inTurn } from '../watchdog/turns.ts'
import type { JobMetrics } from './metrics.ts'
import type { ClaimLimits, Job, Queue } from './queue.sql.ts'
import { jittered, openSleeper } from './sleeper.ts'
import type { WakeUp } from './wake-up.ts'

/** A queue, and what is done with its jobs. */
export interface Jobs<J extends Job> {
  readonly queue: Queue<J>
  readonly limits: Omit<ClaimLimits, 'most'>
  /** Outside any transaction. Records its result where `queue.held`, and returns it in a word for the metrics. */
  run(job: J): Promise<string>
  /** Adds what has become due by itself; before each look at the queue. */
  enqueue?(): Promise<void>
  /** Once a minute. */
  cleanup?(): Promise<void>
}

export interface RunnerOptions {
  readonly database: InstallDb
  /** Jobs that this process runs at once. */
  readonly concurrency: number
  /** How long a stopping process waits for its jobs before it hands them back. */
  readonly graceMs: number
  readonly wakeUp: WakeUp
  readonly metrics: JobMetrics
  readonly tracer?: Tracer | undefined
  readonly log: Logger
  /** At most so long between two looks at a queue where nothing is due: a wake-up may be lost. */
  readonly pollMs?: number
}

const cleanupEveryMs = 60_000
const troubleMs = 1000
/** To claim many costs little more than to claim one: a busy runner lets some come together. */
const gatherMs = 10
const usualPollMs = 15_000
/** Between the first two looks while jobs are due whose app has its share already; doubles. */
const firstBlockedMs = 100
const maxBlockedMs = 1000

/** Runs the jobs of a queue until it is disposed of. */
export function startRunner<J extends Job>(jobs: Jobs<J>, options: RunnerOptions): AsyncDisposable {
  return new Runner(jobs, options)
}

class Runner<J extends Job> implements AsyncDisposable {
  readonly #jobs: Jobs<J>
  readonly #options: RunnerOptions
  readonly #closing = new AbortController()
  readonly #running = new Map<J, Promise<void>>()
  readonly #sleeper = openSleeper<'ended' | 'woken'>()
  readonly #timer: NodeJS.Timeout
  readonly #stopListening: () => void
  readonly #looping: Promise<void>
  #blockedMs = firstBlockedMs

  constructor(jobs: Jobs<J>, options: RunnerOptions) {
    this.#jobs = jobs
    this.#options = options
    this.#timer = setInterval(() => void this.#cleanup(), cleanupEveryMs)
    this.#stopListening = options.wakeUp.listen(jobs.queue.name, () => this.#sleeper.wake('woken'))
    this.#looping = this.#loop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#stopListening()
    this.#closing.abort()
    this.#sleeper.close()
    await this.#looping
    const ended = Promise.all(this.#running.values())
    await within(this.#options.graceMs, ended).catch(() => this.#handBack())
  }

  async #loop(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#turn()
      } catch (error) {
        this.#warn(error, 'could not claim jobs')
        await this.#pause(troubleMs)
      }
    }
  }

  /** Claims what is due; otherwise sleeps until something is, a job has ended, or a commit has added one. */
  async #turn(): Promise<void> {
    const { concurrency, database, pollMs = usualPollMs } = this.#options
    const { queue } = this.#jobs
    await this.#jobs.enqueue?.()
    const hasRoom = this.#running.size < concurrency
    const dueInMs = hasRoom ? await queue.nextDueMs(database.db) : undefined
    const isDue = dueInMs !== undefined && dueInMs <= 0
    if (isDue && (await this.#claim())) {
      this.#blockedMs = firstBlockedMs
      if (this.#running.size > concurrency / 2) await this.#pause(gatherMs)
      return
    }
    const why = await this.#sleeper.sleep(
      isDue ? this.#blockedMs : Math.min(dueInMs ?? pollMs, jittered(pollMs)),
    )
    this.#blockedMs =
      isDue && why === 'time' ? Math.min(this.#blockedMs * 2, maxBlockedMs) : firstBlockedMs
    // What is enqueued all the time, and due much later, is not looked at all the time.
    if (why === 'woken') await this.#pause(gatherMs)
  }

  async #claim(): Promise<boolean> {
    const { queue, limits } = this.#jobs
    const { database, concurrency, metrics } = this.#options
    const most = concurrency - this.#running.size
    const claimed = await queue.claim(database.db, { ...limits, most })
    for (const job of claimed) this.#running.set(job, this.#run(job))
    metrics.running(queue.name, this.#running.size)
    return claimed.length > 0
  }

  async #run(job: J): Promise<void> {
    const { queue, limits } = this.#jobs
    const { metrics, tracer } = this.#options
    const turn = { operation: `job of ${queue.name}`, appId: job.appId }
    try {
      const outcome = await within(
        limits.leaseMs,
        inTurn(turn, () =>
          traced(tracer, `job of ${queue.name}`, 'consumer', [job.trace], () =>
            this.#jobs.run(job),
          ),
        ),
      )
      metrics.ran(queue.name, outcome)
    } catch (error) {
      // It is claimed again when its lease is over.
      metrics.ran(queue.name, 'error')
      this.#warn(error, 'a job failed', { appId: job.appId })
    }
    this.#running.delete(job)
    metrics.running(queue.name, this.#running.size)
    this.#sleeper.wake('ended')
  }

  async #pause(ms: number): Promise<void> {
    await after(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined)
  }

  async #cleanup(): Promise<void> {
    try {
      await this.#jobs.cleanup?.()
    } catch (error) {
      this.#warn(error, 'could not delete old jobs')
    }
  }

  /** Others need not wait for the leases. What still runs here has lost its own, and records nothing. */
  async #handBack(): Promise<void> {
    const { queue } = this.#jobs
    const { database, wakeUp } = this.#options
    for (const job of this.#running.keys()) await queue.release(database.db, job, 0)
    wakeUp.wake([queue.name])
  }

  #warn(err: unknown, what: string, more?: { readonly appId: string }): void {
    this.#options.log.warn({ err, queue: this.#jobs.queue.name, ...more }, what)
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const ended = new AbortController()
  const late = after(ms, undefined, { signal: ended.signal }).then(() => {
    throw new Error('The job has outlived its lease.')
  })
  try {
    return await Promise.race([work, late])
  } finally {
    ended.abort()
  }
}
