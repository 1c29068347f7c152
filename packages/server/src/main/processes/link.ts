import cluster, { type Worker } from 'node:cluster'
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'
import type { Health, Readiness } from '../../operations/health.ts'

// What the processes of one `chorale serve --processes` tell each other.

type MetricsOfProcess = readonly MetricObjectWithValues<MetricValue<string>>[]

/** What the first process asks of the others. */
interface State {
  readonly readiness: Readiness
  readonly metrics: MetricsOfProcess
}

interface Question {
  readonly ask: keyof State
  readonly id: number
}

interface Answer {
  readonly id: number
  readonly answer?: unknown
}

const startedMessage = 'started'
const retireMessage = 'retire'
/** A process that holds its event loop for longer is as good as gone. */
const maxAnswerMs = 5000

/** In a process that was started by another: tells it how it is, and hears that it is replaced. */
export function openLink(health: Health, registry: Registry) {
  const retired = Promise.withResolvers<'replaced'>()
  const answers = {
    readiness: () => health.read(),
    metrics: () => registry.getMetricsAsJSON(),
  }
  const hear = async (message: Question | string) => {
    if (message === retireMessage) return retired.resolve('replaced')
    if (typeof message === 'string') return
    const answer = await answers[message.ask]().catch(() => undefined)
    send({ id: message.id, answer })
  }
  process.on('message', hear)
  // Of a terminal it comes to all processes; it is for the first.
  process.on('SIGHUP', () => undefined)
  return {
    retired: retired.promise,
    started: () => send(startedMessage),
    [Symbol.dispose]: () => void process.off('message', hear),
  }
}

function send(message: Answer | string): void {
  // The first process may be gone: then this one ends as well.
  if (cluster.worker?.isConnected()) cluster.worker.send(message)
}

/** In the first process: one of the others. */
export interface Process {
  readonly worker: Worker
  /** Rejects when it ends before. */
  readonly started: Promise<void>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  isStarted(): boolean
  /** Undefined: it does not answer. */
  ask<K extends keyof State>(what: K): Promise<State[K] | undefined>
  /** It takes no new connections, finishes what it accepted, and ends. */
  retire(): void
}

export function watchProcess(worker: Worker): Process {
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Awaited<Process['ended']>>()
  const waiting = new Map<number, (answer: unknown) => void>()
  let isStarted = false
  let lastId = 0
  worker.on('message', (message: Answer | string) => {
    if (message === startedMessage) {
      isStarted = true
      started.resolve()
    } else if (typeof message === 'object') waiting.get(message.id)?.(message.answer)
  })
  worker.once('exit', (code: number | null, signal: string | null) => {
    isStarted = false
    for (const answer of waiting.values()) answer(undefined)
    started.reject(new Error('The process has ended before it started.'))
    ended.resolve({ code, signal })
  })
  return {
    worker,
    started: started.promise,
    ended: ended.promise,
    isStarted: () => isStarted,
    async ask<K extends keyof State>(what: K) {
      if (!worker.isConnected()) return undefined
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<unknown>()
      waiting.set(id, resolve)
      const late = setTimeout(() => resolve(undefined), maxAnswerMs)
      const question: Question = { ask: what, id }
      worker.send(question)
      const answer = await promise
      clearTimeout(late)
      waiting.delete(id)
      // Written by `openLink` of the same program.
      return answer as State[K] | undefined
    },
    retire() {
      if (worker.isConnected()) worker.send(retireMessage)
    },
  }
}
