import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import {
  idleStatements,
  killedProcesses,
  startTestQueue,
  unfairApp,
} from '../../../testing/src/jobs/job-scenarios.ts'
import { runTestJobs, type TestJob, testQueue } from '../../../testing/src/jobs/test-queue.ts'
import { pauseMs } from './backoff.ts'
import { defineQueue, dueAgain, type Job } from './queue.sql.ts'
import type { Jobs } from './runner.ts'
import { openWakeUp } from './wake-up.ts'

const wait = { timeout: 30_000, interval: 10 }
const leaseMs = 60_000
const never = 600_000
afterEach(() => vi.useRealTimers())

type TestQueue = Awaited<ReturnType<typeof startTestQueue>>

/** Every job ends well at once. */
function succeeding(queue: TestQueue, limits: Jobs<TestJob>['limits'] = { leaseMs }) {
  const ran: TestJob[] = []
  const jobs: Jobs<TestJob> = {
    queue: testQueue,
    limits,
    async run(job) {
      ran.push(job)
      return (await queue.record(job, 'done')) ? 'done' : 'lost'
    },
  }
  return { ran, jobs }
}

test('two workers run each job once', async () => {
  await using queue = await startTestQueue()
  for (const appId of ['a', 'b', 'c']) await queue.enqueue(appId, 100)
  const { ran, jobs } = succeeding(queue)
  await using _one = runTestJobs(jobs, queue)
  await using _other = runTestJobs(jobs, queue)
  await expect.poll(async () => new Set(await queue.results()), wait).toEqual(new Set(['done']))
  expect(ran.map(({ appId, id }) => `${appId}${id}`).sort()).toEqual(
    [...new Set(ran.map(({ appId, id }) => `${appId}${id}`))].sort(),
  )
  expect(ran.every(({ attempt }) => attempt === 1)).toBe(true)
})

test('the result of a worker whose lease ran out is not recorded', async () => {
  await using queue = await startTestQueue()
  await queue.enqueue('a')
  const claim = () => testQueue.claim(queue.database.db, { most: 1, leaseMs: 1 })
  const [first] = await claim()
  let second: TestJob | undefined
  await expect.poll(async () => ([second] = await claim()), wait).toHaveLength(1)
  if (!first || !second) throw new Error('Both have claimed it.')
  expect(second).toMatchObject({ id: first.id, attempt: 2 })
  expect(await queue.record(first, 'first')).toBe(false)
  await testQueue.release(queue.database.db, first, never)
  expect(await queue.results()).toEqual([null])
  expect(await queue.record(second, 'second')).toBe(true)
  expect(await queue.results()).toEqual(['second'])
  expect(await queue.record(second, 'again')).toBe(false)
})

test('a job whose workers do not come back is claimed less and less often', async () => {
  await using queue = await startTestQueue()
  await queue.enqueue('a')
  const leases: number[] = []
  for (let n = 0; n < 4; n++) {
    const [job] = await testQueue.claim(queue.database.db, { most: 1, leaseMs })
    if (job) leases.push(job.leasedUntil - job.now)
    await sql`update test_jobs set due_at = 0`.execute(queue.database.db)
  }
  expect(leases).toEqual([leaseMs, 2 * leaseMs, 4 * leaseMs, 8 * leaseMs])
})

test.each([
  ['is stopped', () => 0],
  ['is far ahead', () => 4_000_000_000_000],
])(
  'a process whose clock %s runs jobs when the database says that they are due',
  async (_, now) => {
    await using queue = await startTestQueue()
    vi.useFakeTimers({ toFake: ['Date'], now: now() })
    const dueAt = await databaseNow(queue)
    await queue.enqueue('a', 1, 700)
    const { ran, jobs } = succeeding(queue)
    await using _runner = runTestJobs(jobs, { ...queue, pollMs: never })
    await expect.poll(() => ran.length, wait).toBe(1)
    expect((ran[0]?.now ?? 0) - dueAt).toBeGreaterThanOrEqual(700)
  },
)

async function databaseNow({ database: { db } }: TestQueue): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db)
  return rows[0]?.now ?? 0
}

test('an app with thousands of jobs does not hold up one with a single job', async () => {
  const { before, objections } = await unfairApp(5000)
  expect(before).toBeLessThanOrEqual(10)
  expect(objections).toEqual([])
})

test('an app has no more jobs claimed than it may, and others have the places that are left', async () => {
  await using queue = await startTestQueue()
  await queue.enqueue('a', 50)
  const claim = async (most: number) => {
    const claimed = await testQueue.claim(queue.database.db, { most, leaseMs, perApp: 3 })
    return claimed.map(({ appId }) => appId).join('')
  }
  expect(await claim(2)).toBe('aa')
  expect(await claim(10)).toBe('a')
  await queue.enqueue('b', 50)
  expect(await claim(10)).toBe('bbb')
  expect(await claim(10)).toBe('')
})

interface KeyJob extends Job {
  readonly key: string
}

test('jobs of one ordering key run one after the other, whoever runs them and however often they fail', async () => {
  await using queue = await startTestQueue()
  const { db } = queue.database
  await sql`
    create table test_keys (app_id text collate "C", key text, due_at bigint, leased_until bigint,
      attempt bigint default 0, next bigint default 1, primary key (app_id, key))`.execute(db)
  await sql`insert into test_keys (app_id, key, due_at) values ('a', 'x', 0), ('a', 'y', 0)`.execute(
    db,
  )
  const keys = defineQueue<KeyJob & { readonly next: number }>({
    name: 'test keys',
    table: 'test_keys',
    key: { app_id: 'appId', key: 'key' },
    open: 'j.next <= 20',
    columns: 'j.key, j.next',
  })
  const done: string[] = []
  const jobs: Jobs<KeyJob & { readonly next: number }> = {
    queue: keys,
    limits: { leaseMs },
    async run(job) {
      const { key, next, attempt } = job
      const fails = next % 5 === 0 && attempt === 1
      if (!fails) done.push(`${key}${next}`)
      const step = fails ? sql`next = next` : sql`next = next + 1, attempt = 0`
      await sql`
        update test_keys set ${step}, ${dueAgain(fails ? 20 : 0)} where ${keys.held(job)}`.execute(
        db,
      )
      return 'done'
    },
  }
  await using _one = runTestJobs(jobs, queue)
  await using _other = runTestJobs(jobs, queue)
  await expect.poll(() => done.length, wait).toBe(40)
  for (const key of ['x', 'y']) {
    const inOrder = Array.from({ length: 20 }, (_, n) => `${key}${n + 1}`)
    expect(done.filter((one) => one.startsWith(key))).toEqual(inOrder)
  }
})

test('a job that fails is retried on its schedule', async () => {
  await using queue = await startTestQueue()
  await queue.enqueue('a')
  const backoff = { firstMs: 100, maxMs: 250 }
  const claimedAt: number[] = []
  const jobs: Jobs<TestJob> = {
    queue: testQueue,
    limits: { leaseMs },
    async run(job) {
      claimedAt.push(job.now)
      if (job.attempt === 5) await queue.record(job, 'done')
      else await testQueue.release(queue.database.db, job, pauseMs(backoff, job.attempt))
      return 'tried'
    },
  }
  await using _runner = runTestJobs(jobs, { ...queue, pollMs: never })
  await expect.poll(() => queue.results(), wait).toEqual(['done'])
  const pauses = claimedAt.slice(1).map((at, n) => at - (claimedAt[n] ?? 0))
  for (const [n, leastMs] of [100, 200, 250, 250].entries()) {
    expect(pauses[n]).toBeGreaterThanOrEqual(leastMs)
  }
})

test('pauses double up to the longest, and with jitter differ by half', () => {
  const schedule = { firstMs: 1000, maxMs: 5000 }
  expect([1, 2, 3, 4, 50].map((n) => pauseMs(schedule, n))).toEqual([1000, 2000, 4000, 5000, 5000])
  for (let n = 0; n < 100; n++) {
    const ms = pauseMs({ ...schedule, jitter: true }, 2)
    expect(ms).toBeGreaterThanOrEqual(1000)
    expect(ms).toBeLessThan(3000)
  }
})

test('a runner of an empty queue looks once, and then waits to be woken', async () => {
  expect(await idleStatements(3000)).toBe(1)
})

test('jobs of a process that is killed are run by the next, and no others twice', async () => {
  const { repeated } = await killedProcesses(60, 1)
  expect(repeated).toBeLessThanOrEqual(10)
}, 120_000)

test('a commit that has added jobs wakes the runners, in this process and in others', async () => {
  await using queue = await startTestQueue()
  const heard = new Set<(text: string) => void>()
  const restored: (() => void)[] = []
  const signals = {
    publish: (_: string, text: string) => {
      for (const hear of heard) hear(text)
    },
    listen(_: string, hear: (text: string) => void) {
      heard.add(hear)
      return () => void heard.delete(hear)
    },
    onRestored: (notify: () => void) => void restored.push(notify),
  }
  const [here, elsewhere] = [openWakeUp(signals), openWakeUp(signals)]
  const { ran, jobs } = succeeding(queue)
  for (const [n, wakeUp] of [here, elsewhere].entries()) {
    await using _runner = runTestJobs(jobs, { ...queue, wakeUp, pollMs: never })
    await queue.enqueue(`app${n}`)
    here.wake(['test jobs'])
    await expect.poll(() => ran.length, wait).toBe(n + 1)
  }
  expect(heard.size).toBe(0)
  // After an absence of NATS nobody knows what was said meanwhile.
  await using _runner = runTestJobs(jobs, { ...queue, wakeUp: elsewhere, pollMs: never })
  await expect.poll(() => heard.size, wait).toBe(1)
  await queue.enqueue('app2')
  for (const notify of restored) notify()
  await expect.poll(() => ran.length, wait).toBe(3)
})

test('a runner that is stopped finishes its jobs, and claims no more', async () => {
  await using queue = await startTestQueue()
  await queue.enqueue('a', 2)
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const jobs: Jobs<TestJob> = {
    queue: testQueue,
    limits: { leaseMs },
    async run(job) {
      resolve()
      await after(300)
      await queue.record(job, 'done')
      return 'done'
    },
  }
  const runner = runTestJobs(jobs, { ...queue, concurrency: 1 })
  await begun
  await runner[Symbol.asyncDispose]()
  expect(await queue.results()).toEqual(['done', null])
})

test('jobs that are not finished in time are handed back, and what they come to is not recorded', async () => {
  await using queue = await startTestQueue()
  await queue.enqueue('a')
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late: boolean[] = []
  const jobs: Jobs<TestJob> = {
    queue: testQueue,
    limits: { leaseMs: never },
    async run(job) {
      begun.resolve()
      await end.promise
      late.push(await queue.record(job, 'late'))
      return 'late'
    },
  }
  const runner = runTestJobs(jobs, { ...queue, graceMs: 50 })
  await begun.promise
  await runner[Symbol.asyncDispose]()
  const next = succeeding(queue)
  await using _next = runTestJobs(next.jobs, queue)
  await expect.poll(() => queue.results(), wait).toEqual(['done'])
  end.resolve()
  await expect.poll(() => late, wait).toEqual([false])
  expect(await queue.results()).toEqual(['done'])
})

test('a job that never ends gives its place back when its lease is over, and one that throws at once', async () => {
  await using queue = await startTestQueue()
  await queue.enqueue('a')
  const outcomes: string[] = []
  const jobs: Jobs<TestJob> = {
    queue: testQueue,
    limits: { leaseMs: 200 },
    async run(job) {
      if (job.attempt === 1) return new Promise<string>(() => undefined)
      if (job.attempt === 2) throw new Error('On purpose.')
      return (await queue.record(job, 'done')) ? 'done' : 'lost'
    },
  }
  const metrics = {
    ran: (_: string, outcome: string) => void outcomes.push(outcome),
    running: () => undefined,
  }
  await using _runner = runTestJobs(jobs, { ...queue, metrics, concurrency: 1 })
  await expect.poll(() => queue.results(), wait).toEqual(['done'])
  await expect.poll(() => outcomes, wait).toEqual(['error', 'error', 'done'])
})
