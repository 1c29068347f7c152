import { sql } from 'kysely'
import { expect } from 'vitest'
import { withQuery } from './many-entries.ts'
import { objectionsTo, openExplainer } from './plans.ts'
import { runTestJobs, startTestQueue, testQueue } from './test-queue.ts'

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
