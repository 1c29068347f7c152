import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { CaseKind } from './cases.sql.ts'

interface Wanted {
  readonly holder: string
  readonly limit: number
  readonly kind: CaseKind | undefined
  /** These, open or not, instead of the oldest that are open. */
  readonly ids: readonly number[] | undefined
}

/** Of those that nobody else holds. Two at the same time never get the same one. */
export async function claimCases(
  { appId, db }: AppDb,
  { holder, limit, kind, ids }: Wanted,
  now: number,
  until: number,
): Promise<number[]> {
  const isFree = sql`(claimed_by is null or claimed_by = ${holder} or claimed_until <= ${now})`
  const which = ids
    ? sql`message_id = any(${ids}) and (status <> 'open' or ${isFree})`
    : sql`status = 'open' and kind = any(${kind ? [kind] : ['blocked', 'flagged']}) and ${isFree}`
  const { rows } = await sql<{ id: number }>`
    update moderation_cases c set claimed_by = ${holder}, claimed_until = ${until}
    from (select message_id from moderation_cases
          where app_id = ${appId} and ${which}
          order by message_id limit ${limit} for update skip locked) taken
    where c.app_id = ${appId} and c.message_id = taken.message_id
    returning c.message_id as id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns how many. */
export async function releaseCases({ appId, db }: AppDb, holder: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update moderation_cases set claimed_by = null, claimed_until = null
    where app_id = ${appId} and status = 'open' and claimed_by = ${holder}`.execute(db)
  return Number(numAffectedRows)
}

const countedUpTo = 1000

export async function countOpenCases(
  { appId, db }: AppDb,
  holder: string,
  now: number,
): Promise<{ open: number; heldByOthers: number }> {
  const { rows } = await sql<{ open: number; heldByOthers: number }>`
    select count(*) as open,
           count(*) filter (where claimed_by <> ${holder} and claimed_until > ${now}) as "heldByOthers"
    from (select claimed_by, claimed_until from moderation_cases
          where app_id = ${appId} and status = 'open' limit ${countedUpTo}) waiting`.execute(db)
  return rows[0] ?? { open: 0, heldByOthers: 0 }
}
