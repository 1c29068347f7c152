import { setTimeout as after } from 'node:timers/promises'
import type { Logger } from 'pino'
import { inTurn, type Turn } from '../watchdog/turns.ts'

/** Work that waits in the database, to be carried out outside any transaction. */
export interface Errands<Job> {
  readonly name: string
  /** Takes some that are due, with a lease: if this process dies, another takes them after it. */
  claim(most: number): Promise<readonly Job[]>
  /** Carries one out and records what became of it, which is also what is counted. */
  carryOut(job: Job): Promise<string>
  /** What is done once in a while beside that. */
  tidy(): Promise<void>
}

export interface CourierOptions {
  /** Of these errands, in this process. */
  readonly concurrency: number
  readonly log: Logger
  readonly onCarried: (errands: string, outcome: string) => void
  readonly pollMs?: number
}

const tidyEveryMs = 60_000
const troubleMs = 1000
/** To claim many costs little more than to claim one: who is busy lets some come together. */
const gatherMs = 10

/** Carries out errands, many at once, until it is disposed of; what is in hand is finished. */
export function startCourier<Job>(
  errands: Errands<Job>,
  { concurrency, log, onCarried, pollMs = 100 }: CourierOptions,
): AsyncDisposable {
  const closing = new AbortController()
  const inHand = new Set<Promise<void>>()
  const { name } = errands

  async function carry(job: Job): Promise<void> {
    try {
      onCarried(name, await inTurn(turnOf(name, job), () => errands.carryOut(job)))
    } catch (error) {
      // Its lease runs out, and it is tried again.
      log.warn({ err: error, errands: name }, 'an errand could not be recorded')
    }
  }

  /** Whether there may be more right now. */
  async function take(): Promise<boolean> {
    const free = concurrency - inHand.size
    const jobs = free > 0 ? await errands.claim(free) : []
    for (const job of jobs) {
      const carried: Promise<void> = carry(job).finally(() => inHand.delete(carried))
      inHand.add(carried)
    }
    return jobs.length > 0
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        if (!(await take())) await Promise.race([...inHand, pause(pollMs)])
        else if (inHand.size > concurrency / 2) await pause(gatherMs)
      } catch (error) {
        log.warn({ err: error, errands: name }, 'errands could not be claimed')
        await pause(troubleMs)
      }
    }
  }

  async function pause(ms: number): Promise<void> {
    await after(ms, undefined, { signal: closing.signal }).catch(() => undefined)
  }

  const tidying = setInterval(() => {
    errands
      .tidy()
      .catch((error) => log.warn({ err: error, errands: name }, 'errands could not be tidied'))
  }, tidyEveryMs)
  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(tidying)
      closing.abort()
      await running
      await Promise.all(inHand)
    },
  }
}

function turnOf(name: string, job: unknown): Turn {
  const isOfApp = typeof job === 'object' && job !== null && 'appId' in job
  return { operation: `errand ${name}`, appId: isOfApp ? String(job.appId) : undefined }
}
