import { sql } from 'kysely'
import type { Db } from '../database/db.ts'

/** What waits in a queue, counted up to a bound. */
export interface Backlog {
  readonly queue: string
  readonly due: number
  /** Claimed, or to be tried later. */
  readonly later: number
  /** What rows of the queue stand for, where they stand for several. */
  readonly behind: number
  /** Since when the first is due. */
  readonly lateMs: number
  /** Of the job that was claimed most often. */
  readonly attempts: number
}

/** Of all these queues in one statement. */
export async function measureQueues(
  db: Db,
  queues: readonly { readonly backlogText: string }[],
): Promise<readonly Backlog[]> {
  const texts = queues.map(({ backlogText }) => backlogText)
  const { rows } = await sql.raw<Backlog>(texts.join(' union all ')).execute(db)
  return rows
}
