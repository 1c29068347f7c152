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
  const waiting = new Map<string, Job[]>()
  let thread: Worker | undefined
  let current: { readonly job: Job; readonly timer: NodeJS.Timeout } | undefined

  /** Of the app that has waited longest; the app then goes to the end of the line. */
  function takeNext(): Job | undefined {
    for (const [appId, jobs] of waiting) {
      const job = jobs.shift()
      waiting.delete(appId)
      if (jobs.length > 0) waiting.set(appId, jobs)
      if (job) return job
    }
    return undefined
  }

  function startNext(): void {
    if (current) return
    const job = takeNext()
    if (!job) return
    thread ??= openThread()
    current = { job, timer: setTimeout(() => endThread(new Late()), deadlineMs) }
    thread.postMessage(job.request)
  }

  function end(how: (job: Job) => void): void {
    const ended = current
    current = undefined
    clearTimeout(ended?.timer)
    if (ended) how(ended.job)
    startNext()
  }

  function openThread(): Worker {
    const opened = new Worker(new URL('./compile-thread.ts', import.meta.url))
    opened.unref()
    opened.on('message', (reply: Reply) => opened === thread && end((job) => job.settle(reply)))
    opened.on('error', (error) => opened === thread && endThread(error))
    return opened
  }

  /** The next job gets another one. */
  function endThread(reason: unknown): void {
    const ended = thread
    thread = undefined
    // One that has failed has ended by itself.
    ended?.terminate().catch(() => undefined)
    end((job) => job.fail(reason))
  }

  function ask(appId: string, request: Request): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const jobs = waiting.get(appId) ?? []
    jobs.push({ request, settle: resolve, fail: reject })
    waiting.set(appId, jobs)
    startNext()
    return promise
  }

  async function run<N extends JobName>(appId: string, name: N, given: Jobs[N]['given']) {
    // A pair that belongs together, which the compiler cannot see.
    const reply = await ask(appId, { name, given } as Request).catch((reason: unknown) => {
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
      // Objects of the engine stay in the thread that makes them, so these are made here, in slices.
      const patterns: Pattern[] = []
      let slice = performance.now()
      for (const { source } of layout.patterns) {
        patterns.push(engine.compile(source))
        if (performance.now() - slice < sliceMs) continue
        await nextTurn()
        slice = performance.now()
      }
      return new RuleSet(rules, layout, patterns, classifiers)
    },
    async [Symbol.asyncDispose]() {
      await thread?.terminate()
    },
  }
}

class Late extends Error {}

/** Whoever hands us something can make it simpler; whoever sends a message can only try again. */
function late(name: JobName): Failure {
  return name === 'layOutRules'
    ? new Failure('ERR_MISSION_FAILED')
    : badRequest('body', 'It took too long to check this: use fewer and simpler terms.')
}
