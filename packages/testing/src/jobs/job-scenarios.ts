import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { withQuery } from '../data/many-entries.ts'
import { objectionsTo, openExplainer } from '../data/plans.ts'
import { cloneDatabase } from '../engines/test-database.ts'
import { compileCache } from '../processes/compile-cache.ts'
import {
  openTestDatabase,
  recordTestJob,
  runTestJobs,
  type TestJob,
  testQueue,
  testSchema,
} from './test-queue.ts'

const patiently = { timeout: 60_000, interval: 20 }
const nowMs = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** A queue in a database of its own. */
export async function startTestQueue() {
  await using stack = new AsyncDisposableStack()
  const { url } = stack.use(await cloneDatabase())
  const database = stack.use(openTestDatabase(url))
  for (const statement of testSchema.split(';')) await sql.raw(statement).execute(database.db)
  const owned = stack.move()
  return {
    url,
    database,
    async enqueue(appId: string, count = 1, dueInMs = 0): Promise<void> {
      await sql`
        insert into test_jobs (app_id, id, due_at)
        select ${appId}, n, ${nowMs} + ${dueInMs}::bigint
        from generate_series(1, ${count}) as n`.execute(database.db)
    },
    /** False: the lease is lost. */
    record: (job: TestJob, result: string) => recordTestJob(database, job, result),
    async results(): Promise<(string | null)[]> {
      const { rows } = await sql<{ result: string | null }>`
        select result from test_jobs order by app_id, id`.execute(database.db)
      return rows.map(({ result }) => result)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** An app with so many jobs, that were due long before, beside one with a single job. */
export async function unfairApp(jobs: number) {
  await using queue = await startTestQueue()
  await queue.enqueue('large', jobs, -3_600_000)
  await queue.enqueue('small')
  await withQuery(queue.url, (query) => query('vacuum analyze test_jobs'))
  await using explainer = await openExplainer(queue.url)
  const plans = await explainer.plansOf(async (db) => {
    await testQueue.claim(db, { most: 10, leaseMs: 1000, perApp: 5 })
    await testQueue.nextDueMs(db)
  })
  const objections = plans.flatMap((plan) => objectionsTo(plan, { partitions: 'one' }))
  const order: string[] = []
  const run = async (job: Parameters<typeof queue.record>[0]) => {
    order.push(job.appId)
    await queue.record(job, 'done')
    return 'done'
  }
  await using _runner = runTestJobs(
    { queue: testQueue, limits: { leaseMs: 60_000 }, run },
    { ...queue, concurrency: 4 },
  )
  await expect.poll(() => order.includes('small'), { timeout: 60_000 }).toBe(true)
  const { rows } = await sql`select from test_jobs where result is null limit 1`.execute(
    queue.database.db,
  )
  /** Jobs of the large app that ran before that of the small one; and whether some still waited. */
  return { before: order.indexOf('small'), objections, waited: rows.length > 0 }
}

/** How many statements a runner of an empty queue makes in this time. */
export async function idleStatements(ms: number): Promise<number> {
  await using queue = await startTestQueue()
  let statements = 0
  const counted = <T extends unknown[], R>(call: (...args: T) => R) => {
    return (...args: T) => {
      statements++
      return call(...args)
    }
  }
  const counting = {
    ...testQueue,
    claim: counted(testQueue.claim),
    nextDueMs: counted(testQueue.nextDueMs),
  }
  const run = async () => 'done'
  await using _runner = runTestJobs({ queue: counting, limits: { leaseMs: 1000 }, run }, queue)
  await after(ms)
  return statements
}

const program = fileURLToPath(new URL('./job-process.ts', import.meta.url))

/** Processes that are killed (SIGKILL) with jobs in hand, one after the other, and one that is not. */
export async function killedProcesses(jobs: number, kills: number) {
  await using queue = await startTestQueue()
  await queue.enqueue('a', jobs)
  const begun: number[] = []
  for (let n = 0; n <= kills; n++) {
    const child = fork(program, [queue.url], {
      execArgv: [],
      env: { PATH: process.env.PATH, ...compileCache },
    })
    const ended = once(child, 'exit')
    const before = begun.length
    child.on('message', (id) => begun.push(Number(id)))
    if (n < kills) await expect.poll(() => begun.length, patiently).toBeGreaterThan(before + 15)
    else
      await expect
        .poll(async () => new Set(await queue.results()), patiently)
        .toEqual(new Set(['done']))
    child.kill('SIGKILL')
    await ended
  }
  return { repeated: begun.length - new Set(begun).size }
}
