import { sql } from 'kysely'
import { pino } from 'pino'
import { type Database, openDatabase } from '../../../server/src/database/pool.ts'
import { defineQueue, dueAgain, type Job } from '../../../server/src/jobs/queue.sql.ts'
import { type Jobs, type RunnerOptions, startRunner } from '../../../server/src/jobs/runner.ts'
import type { WakeUp } from '../../../server/src/jobs/wake-up.ts'

export interface TestJob extends Job {
  readonly id: number
  /** When it was claimed, by the clock of the database. */
  readonly now: number
}

export const testQueue = defineQueue<TestJob>({
  name: 'test jobs',
  table: 'test_jobs',
  key: { app_id: 'appId', id: 'id' },
  open: 'j.result is null',
  columns: 'j.id, m.now',
})

/** As docs/jobs.md says. */
export const testSchema = `
  create table test_jobs (
    app_id text collate "C" not null,
    id bigint not null,
    due_at bigint not null,
    leased_until bigint,
    attempt bigint not null default 0,
    result text,
    primary key (app_id, id)
  );
  create index test_jobs_due on test_jobs (due_at) where result is null;
  create index test_jobs_turns on test_jobs (app_id, due_at) where result is null;
  create index test_jobs_leased on test_jobs (app_id, leased_until) where leased_until is not null`

export function openTestDatabase(url: string): Database {
  return openDatabase({
    url,
    poolSize: 4,
    statementTimeoutMs: 60_000,
    onIdleError: () => undefined,
  })
}

export async function recordTestJob(
  { db }: Pick<Database, 'db'>,
  job: TestJob,
  result: string,
): Promise<boolean> {
  const { rows } = await sql`
    update test_jobs set result = ${result}, ${dueAgain(0)}
    where ${testQueue.held(job)} returning id`.execute(db)
  return rows.length > 0
}

/** Of a process that hears nothing from others. */
export const noWakeUp: WakeUp = { wake: () => undefined, listen: () => () => undefined }

const silent = { ran: () => undefined, running: () => undefined, late: () => undefined }

/** A runner that only a due time can wake, unless the options say more. */
export function runTestJobs<J extends Job>(
  jobs: Jobs<J>,
  options: Pick<RunnerOptions, 'database'> & Partial<RunnerOptions>,
): AsyncDisposable {
  return startRunner(jobs, {
    concurrency: 10,
    graceMs: 60_000,
    wakeUp: noWakeUp,
    metrics: silent,
    log: pino({ level: 'silent' }),
    ...options,
  })
}
