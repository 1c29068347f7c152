import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { InstallDb } from '../database/app-db.ts'
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
  const { queue, limits } = jobs
  const { concurrency, log, metrics, pollMs = usualPollMs } = options
  const { db } = options.database
  const closing = new AbortController()
  const running = new Map<J, Promise<void>>()
  const sleeper = openSleeper<'ended' | 'woken'>()
  let blockedMs = firstBlockedMs

  async function work(job: J): Promise<void> {
    const turn = { operation: `job of ${queue.name}`, appId: job.appId }
    try {
      const outcome = await within(
        limits.leaseMs,
        inTurn(turn, () => jobs.run(job)),
      )
      metrics.ran(queue.name, outcome)
    } catch (error) {
      // It is claimed again when its lease is over.
      metrics.ran(queue.name, 'error')
      log.warn({ err: error, queue: queue.name, appId: job.appId }, 'a job has failed')
    }
    running.delete(job)
    metrics.running(queue.name, running.size)
    sleeper.wake('ended')
  }

  async function claim(): Promise<boolean> {
    const claimed = await queue.claim(db, { ...limits, most: concurrency - running.size })
    for (const job of claimed) running.set(job, work(job))
    metrics.running(queue.name, running.size)
    return claimed.length > 0
  }

  /** Claims what is due; otherwise sleeps until something is, a job has ended, or a commit has added one. */
  async function turn(): Promise<void> {
    await jobs.enqueue?.()
    const dueInMs = running.size < concurrency ? await queue.nextDueMs(db) : undefined
    const isDue = dueInMs !== undefined && dueInMs <= 0
    if (dueInMs !== undefined) metrics.late(queue.name, Math.max(0, -dueInMs))
    if (isDue && (await claim())) {
      blockedMs = firstBlockedMs
      if (running.size > concurrency / 2) await pause(gatherMs)
      return
    }
    const why = await sleeper.sleep(
      isDue ? blockedMs : Math.min(dueInMs ?? pollMs, jittered(pollMs)),
    )
    blockedMs = isDue && why === 'time' ? Math.min(blockedMs * 2, maxBlockedMs) : firstBlockedMs
    // What is enqueued all the time, and due much later, is not looked at all the time.
    if (why === 'woken') await pause(gatherMs)
  }

  async function loop(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await turn()
      } catch (error) {
        log.warn({ err: error, queue: queue.name }, 'jobs could not be claimed')
        await pause(troubleMs)
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    await after(ms, undefined, { signal: closing.signal }).catch(() => undefined)
  }

  async function cleanup(): Promise<void> {
    try {
      await jobs.cleanup?.()
    } catch (error) {
      log.warn({ err: error, queue: queue.name }, 'old jobs could not be deleted')
    }
  }

  /** Others need not wait for the leases. What still runs here has lost its own, and records nothing. */
  async function handBack(): Promise<void> {
    for (const job of running.keys()) await queue.release(db, job, 0)
    options.wakeUp.wake([queue.name])
  }

  const timer = setInterval(() => void cleanup(), cleanupEveryMs)
  const stopListening = options.wakeUp.listen(queue.name, () => sleeper.wake('woken'))
  const looping = loop()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      stopListening()
      closing.abort()
      sleeper.close()
      await looping
      const ended = Promise.all(running.values())
      await within(options.graceMs, ended).catch(handBack)
    },
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
