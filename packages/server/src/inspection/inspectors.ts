import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endLimited, type Limits, startLimited } from './limited.ts'
import type { Answer, Question } from './question.ts'

export interface InspectorOptions extends Omit<Limits, 'cpuSeconds'> {
  /** Processes at once. */
  readonly processes: number
}

/** The process has ended over the file: it took too much memory or time, or broke a library. */
export interface Broken {
  readonly is: 'broken'
  readonly why: string
}

/** Looks at files, in processes of their own. */
export interface Inspectors extends Disposable {
  look(question: Question): Promise<Answer | Broken>
  /** Of the processes that run now. */
  readonly pids: readonly number[]
}

interface Job {
  readonly question: Question
  readonly settle: (answer: Answer | Broken) => void
}

/** A process looks at so many files, one after the other; then another takes its place. */
const filesPerProcess = 100
const idleMs = 60_000
const oldSpaceMb = 96
/** What Node takes for itself; most of it is room for compiled code, which stays empty. */
const nodeMb = 640

export function openInspectors(options: InspectorOptions): Inspectors {
  const waiting: Job[] = []
  const all = new Set<Inspector>()
  let isClosed = false

  function startNext(): void {
    if (isClosed || waiting.length === 0) return
    const idle = [...all].find(({ isFree }) => isFree)
    if (!idle && all.size >= options.processes) return
    const inspector = idle ?? new Inspector(options, startNext, (gone) => void all.delete(gone))
    all.add(inspector)
    const job = waiting.shift()
    if (job) inspector.start(job)
    startNext()
  }

  return {
    look(question) {
      const { promise, resolve } = Promise.withResolvers<Answer | Broken>()
      if (isClosed) return Promise.reject(new Error('The process is stopping.'))
      waiting.push({ question, settle: resolve })
      startNext()
      return promise
    },
    get pids() {
      return [...all].flatMap(({ pid }) => pid ?? [])
    },
    [Symbol.dispose]() {
      isClosed = true
      for (const inspector of all) inspector.end('The process is stopping.')
    },
  }
}

/** One process. Whatever goes wrong ends it. */
class Inspector {
  readonly #seconds: number
  readonly #child: ChildProcess
  readonly #onFree: () => void
  readonly #onEnd: (gone: Inspector) => void
  #job: Job | undefined
  #timer: NodeJS.Timeout | undefined
  #files = 0
  #isEnded = false

  constructor(options: InspectorOptions, onFree: () => void, onEnd: (gone: Inspector) => void) {
    this.#seconds = options.seconds
    this.#onFree = onFree
    this.#onEnd = onEnd
    const program = fileURLToPath(new URL('./inspector-process.ts', import.meta.url))
    const command = [process.execPath, `--max-old-space-size=${oldSpaceMb}`, program]
    const limits = {
      ...options,
      memoryMb: nodeMb + options.memoryMb,
      cpuSeconds: filesPerProcess * options.seconds,
    }
    this.#child = startLimited(command, limits, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    this.#child.unref()
    this.#child.channel?.unref()
    this.#child.on('message', (answer: Answer) => this.#answered(answer))
    this.#child.on('error', (error) => this.end(error.message))
    this.#child.on('exit', (code, signal) => this.end(`it ended with ${signal ?? code}`))
  }

  get isFree(): boolean {
    return this.#job === undefined && !this.#isEnded
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  start(job: Job): void {
    this.#job = job
    this.#files++
    this.#wait(this.#seconds * 1000, `it took longer than ${this.#seconds} seconds`)
    this.#child.send(job.question, (error) => error && this.end(error.message))
  }

  end(why: string): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#timer)
    endLimited(this.#child)
    this.#onEnd(this)
    this.#job?.settle({ is: 'broken', why })
    this.#job = undefined
    this.#onFree()
  }

  #answered(answer: Answer): void {
    const job = this.#job
    this.#job = undefined
    job?.settle(answer)
    if (this.#files >= filesPerProcess) {
      this.end('enough files')
      return
    }
    this.#wait(idleMs, 'idle')
    this.#onFree()
  }

  #wait(ms: number, why: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(why), ms)
    this.#timer.unref()
  }
}
