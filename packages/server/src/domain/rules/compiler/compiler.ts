import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { Pattern, PatternEngine } from '../engine/patterns.ts'
import { type RuleInForce, RuleSet } from '../engine/rule-set.ts'
import type { JobName, Jobs, Reply, Request } from './thread-jobs.ts'

/** Checks, weighs and compiles what tenants hand us, outside of the event loop. */
export interface Compiler extends AsyncDisposable {
  /** Throws what is wrong with it. Of one app one job at a time, and apps take turns. */
  run<N extends JobName>(appId: string, name: N, given: Jobs[N]['given']): Promise<Jobs[N]['done']>
  compile(appId: string, rules: readonly RuleInForce[], more: Compiling): Promise<RuleSet>
}

interface Compiling {
  /** As JSON text: the terms of each list by its id. */
  readonly lists: string
  readonly classifiers?: ReadonlyMap<string, number>
}

interface Job {
  readonly request: Request
  settle(reply: Reply): void
  fail(reason: unknown): void
}

export interface CompilerOptions {
  /** After which a job is given up, and its thread with it. The limits make it a few hundredths of that. */
  readonly deadlineMs?: number
}

const sliceMs = 5

export function openCompiler(
  engine: PatternEngine,
  { deadlineMs = 10_000 }: CompilerOptions = {},
): Compiler {
  const thread = new CompileThread(deadlineMs)

  async function run<N extends JobName>(appId: string, name: N, given: Jobs[N]['given']) {
    // A pair that belongs together, which the compiler cannot see.
    const reply = await thread.ask(appId, { name, given } as Request).catch((reason: unknown) => {
      throw reason instanceof Late ? late(name) : reason
    })
    if ('objection' in reply) throw badRequest(reply.objection.field, reply.objection.message)
    if ('error' in reply) throw new Error(`The thread that compiles failed: ${reply.error}`)
    // Of the same name.
    return reply.done as Jobs[N]['done']
  }

  return {
    run,
    async compile(appId, rules, { lists, classifiers }) {
      const conditions = rules.map(({ conditions }) => ({ conditions }))
      const layout = await run(appId, 'layOutRules', { rules: conditions, lists })
      const patterns = await compileInSlices(engine, layout.patterns)
      return new RuleSet(rules, layout, patterns, classifiers)
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  }
}

/** Objects of the engine stay in the thread that makes them: these are made in this one. */
async function compileInSlices(
  engine: PatternEngine,
  sources: readonly { readonly source: string }[],
): Promise<Pattern[]> {
  const patterns: Pattern[] = []
  let slice = performance.now()
  for (const { source } of sources) {
    patterns.push(engine.compile(source))
    if (performance.now() - slice < sliceMs) continue
    await nextTurn()
    slice = performance.now()
  }
  return patterns
}

/** Does one job at a time, in a thread that is started with the first one. */
class CompileThread implements AsyncDisposable {
  readonly #deadlineMs: number
  readonly #waiting = new Map<string, Job[]>()
  #worker: Worker | undefined
  #current: { readonly job: Job; readonly timer: NodeJS.Timeout } | undefined

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs
  }

  ask(appId: string, request: Request): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const jobs = this.#waiting.get(appId) ?? []
    jobs.push({ request, settle: resolve, fail: reject })
    this.#waiting.set(appId, jobs)
    this.#startNext()
    return promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate()
  }

  /** Of the app that has waited longest; the app then goes to the end of the line. */
  #takeNext(): Job | undefined {
    for (const [appId, jobs] of this.#waiting) {
      const job = jobs.shift()
      this.#waiting.delete(appId)
      if (jobs.length > 0) this.#waiting.set(appId, jobs)
      if (job) return job
    }
    return undefined
  }

  #startNext(): void {
    if (this.#current) return
    const job = this.#takeNext()
    if (!job) return
    this.#worker ??= this.#openWorker()
    const timer = setTimeout(() => this.#endWorker(new Late()), this.#deadlineMs)
    this.#current = { job, timer }
    this.#worker.postMessage(job.request)
  }

  #end(how: (job: Job) => void): void {
    const ended = this.#current
    this.#current = undefined
    clearTimeout(ended?.timer)
    if (ended) how(ended.job)
    this.#startNext()
  }

  #openWorker(): Worker {
    const opened = new Worker(new URL('./compile-thread.ts', import.meta.url))
    opened.unref()
    opened.on('message', (reply: Reply) => {
      if (opened === this.#worker) this.#end((job) => job.settle(reply))
    })
    opened.on('error', (error) => {
      if (opened === this.#worker) this.#endWorker(error)
    })
    return opened
  }

  /** The next job gets another one. */
  #endWorker(reason: unknown): void {
    const ended = this.#worker
    this.#worker = undefined
    // One that has failed has ended by itself.
    ended?.terminate().catch(() => undefined)
    this.#end((job) => job.fail(reason))
  }
}

class Late extends Error {}

/** Whoever hands us something can make it simpler; whoever sends a message can only try again. */
function late(name: JobName): Failure {
  return name === 'layOutRules'
    ? new Failure('ERR_MISSION_FAILED')
    : badRequest('body', 'It took too long to check this: use fewer and simpler terms.')
}
