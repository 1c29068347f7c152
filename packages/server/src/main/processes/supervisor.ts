import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { pauseMs } from '../../jobs/backoff.ts'
import { openSleeper } from '../../jobs/sleeper.ts'
import { type Process, watchProcess } from './link.ts'

export interface SupervisorOptions {
  /** The arguments of each process. */
  readonly processes: readonly (readonly string[])[]
  readonly log: Logger
  /** A process that is replaced and has not ended after so long is killed. */
  readonly patienceMs: number
}

export interface Supervisor extends AsyncDisposable {
  /** Those that run now; one that replaces another stands beside it. */
  all(): readonly Process[]
  readonly wanted: number
  /** One after the other: the next one goes when its successor has started. */
  replaceAll(): Promise<void>
  /** Rejects when the first start of a process fails. */
  readonly started: Promise<void>
}

/** Between the end of a process and the next: it may end at once, again and again. */
const backoff = { firstMs: 200, maxMs: 30_000 }
/** Who has lived so long did not end because of the start. */
const longLifeMs = 60_000

/**
 * Keeps so many processes running. They share the ports that this process listens on and hands
 * connections of, in turn; so nobody is refused while one of them ends and another starts.
 */
export function startSupervisor({ processes, log, patienceMs }: SupervisorOptions): Supervisor {
  const running = new Set<Process>()
  const slots = processes.map((args, n) =>
    openSlot({ n, log, patienceMs, fork: () => fork(args, n) }),
  )
  const started = Promise.all(slots.map(({ first }) => first)).then(() => undefined)
  let replacing: Promise<void> | undefined

  function fork(args: readonly string[], n: number): Process {
    cluster.setupPrimary({ args: [...args] })
    const made = watchProcess(cluster.fork())
    const { pid } = made.worker.process
    running.add(made)
    void made.ended.then(() => running.delete(made))
    made.started.then(
      () => log.info({ process: n, pid }, 'a process has started'),
      () => undefined,
    )
    return made
  }

  async function replaceAll(): Promise<void> {
    try {
      for (const slot of slots) await slot.replace()
      log.info('all processes are replaced')
    } catch (error) {
      log.error({ err: error }, 'a process could not be replaced: those that run stay')
    }
  }

  return {
    all: () => [...running],
    wanted: processes.length,
    started,
    replaceAll() {
      replacing ??= replaceAll().finally(() => {
        replacing = undefined
      })
      return replacing
    },
    async [Symbol.asyncDispose]() {
      for (const { worker } of running) worker.process.kill('SIGTERM')
      await Promise.all(slots.map((slot) => slot.close()))
      await Promise.all([...running].map(({ ended }) => ended))
    },
  }
}

interface SlotOptions extends Pick<SupervisorOptions, 'log' | 'patienceMs'> {
  readonly n: number
  readonly fork: () => Process
}

/** A place that is never empty for long. */
function openSlot({ n, fork, log, patienceMs }: SlotOptions) {
  const sleeper = openSleeper<never>()
  let isClosing = false
  let current = fork()
  const first = current.started
  const work = keep()

  async function keep(): Promise<void> {
    let failures = 0
    while (!isClosing) {
      const mine = current
      const since = performance.now()
      const { code, signal } = await mine.ended
      // Replaced: its successor has the place already.
      if (current !== mine || isClosing) continue
      failures = performance.now() - since > longLifeMs ? 1 : failures + 1
      const ms = pauseMs(backoff, failures)
      log.error({ process: n, code, signal, againInMs: ms }, 'a process has ended')
      if ((await sleeper.sleep(ms)) === 'closed') return
      if (current === mine) current = fork()
    }
  }

  return {
    first,
    async replace(): Promise<void> {
      const old = current
      const next = fork()
      await next.started
      current = next
      log.info({ process: n, pid: old.worker.process.pid }, 'a process is replaced')
      old.retire()
      const late = setTimeout(() => old.worker.process.kill('SIGKILL'), patienceMs)
      await old.ended
      clearTimeout(late)
    },
    async close(): Promise<void> {
      isClosing = true
      sleeper.close()
      current.worker.process.kill('SIGTERM')
      await work
    },
  }
}
