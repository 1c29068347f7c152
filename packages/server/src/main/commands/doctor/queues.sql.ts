import { sql } from 'kysely'
import type { Db } from '../../../database/db.ts'

export interface QueueState {
  readonly name: string
  readonly depth: number
  /** How long the first has been due; 0: none is. */
  readonly lateSeconds: number
  /** Of the job that was claimed most often. */
  readonly attempts: number
}

const jobs = sql`
  select 'webhooks' as name, due_at, attempt from webhook_ordering_keys
  union all
  select 'classifications', due_at, attempt from moderation_classifications where outcome is null
  union all
  select 'submissions', due_at, attempt from moderation_submissions where status = 'pending'
  union all
  select 'dry-runs', due_at, attempt from moderation_dry_runs where status in ('waiting', 'running')
  union all
  select case channel when 'push' then 'push' else 'digests' end, due_at, attempt
  from notification_deliveries where status = 'waiting'
  union all
  select 'erasures', due_at, attempt from app_erasures`

/** Queues that have jobs. */
export async function readQueues(db: Db): Promise<QueueState[]> {
  const { rows } = await sql<QueueState>`
    select name, count(*)::int as depth, max(attempt)::int as attempts,
           greatest(0, extract(epoch from clock_timestamp()) - min(due_at) / 1000)::int
             as "lateSeconds"
    from (${jobs}) j group by name order by name`.execute(db)
  return rows
}
