import type { ReviewStatus } from '@chorale/contract/moderation'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'
import { texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { prepared, run } from '../../../database/prepared.ts'
import type { EntryRef } from '../../../outbox/events.ts'
import type { Verdict } from '../../log/entries/index.ts'

export type CaseKind = 'blocked' | 'flagged'

const moderating = prepared<{ readonly appId: string }>(
  'apps that moderate',
  `select app_id as "appId" from apps where app_id = any($1::text[]) and moderation_version > 0`,
)

/** Which of these apps have ever moderated. */
export async function appsThatModerate(
  db: Db,
  appIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await run(db, moderating, [texts(appIds)])
  return new Set(rows.map(({ appId }) => appId))
}

/** False: this was known. `anew`: of a message that was edited, which may have been reviewed before. */
export async function insertCase(
  { appId, db }: AppDb,
  { bucket, key, seq, id }: EntryRef,
  { kind, verdict, anew }: { kind: CaseKind; verdict: Verdict; anew: boolean },
  now: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into moderation_cases as c (app_id, message_id, bucket, conversation_key, seq, kind,
                                       status, verdict, created_at, updated_at)
    values (${appId}, ${id}, ${bucket}, ${key}, ${seq}, ${kind}, 'open', ${jsonb(verdict)},
            ${now}, ${now})
    on conflict (app_id, message_id) do update
    set kind = excluded.kind, status = 'open', verdict = excluded.verdict, updated_at = ${now}
    where ${anew} or c.verdict is null
    returning message_id`.execute(db)
  return rows.length > 0
}

/** Of what a message said when it was reported, so many versions are kept. */
const maxVersions = 20

export interface Flag {
  readonly uid: string
  readonly reasonId: string
  readonly remark: string | undefined
  /** What the message says now, as JSON text. */
  readonly data: string
}

/** A message that was let stand is looked at again, once somebody else reports it. */
export async function insertReport(
  { appId, db }: AppDb,
  { bucket, key, seq, id }: EntryRef,
  flag: Flag,
  now: number,
): Promise<void> {
  const version = sql`jsonb_build_array(${flag.data}::jsonb)`
  await sql`
    insert into moderation_cases as c (app_id, message_id, bucket, conversation_key, seq, kind,
                                       status, reported, created_at, updated_at)
    values (${appId}, ${id}, ${bucket}, ${key}, ${seq}, 'flagged', 'open', ${version}, ${now}, ${now})
    on conflict (app_id, message_id) do update
    set status = 'open',
        updated_at = case when c.status = 'open' then c.updated_at else ${now} end,
        reported = case when c.reported is null then excluded.reported
                        when c.reported @> excluded.reported
                          or jsonb_array_length(c.reported) >= ${maxVersions} then c.reported
                        else c.reported || excluded.reported end`.execute(db)
  await sql`
    insert into moderation_flags (app_id, message_id, uid, reason_id, remark, flagged_at)
    values (${appId}, ${id}, ${flag.uid}, ${flag.reasonId}, ${flag.remark ?? null}, ${now})
    on conflict (app_id, message_id, uid) do update
    set reason_id = excluded.reason_id, remark = excluded.remark, flagged_at = excluded.flagged_at
  `.execute(db)
}

/** Undefined: there is no case. */
export async function findCaseStatus(
  { appId, db }: AppDb,
  id: number,
): Promise<ReviewStatus | 'open' | undefined> {
  const { rows } = await sql<{ status: ReviewStatus | 'open' }>`
    select status from moderation_cases
    where app_id = ${appId} and message_id = ${id}`.execute(db)
  return rows[0]?.status
}

interface Decision {
  readonly status: ReviewStatus
  /** Where the message is from now on. */
  readonly seq: number
  /** Who has decided. */
  readonly by: string
}

/** Reviewed. */
export async function closeCase(
  { appId, db }: AppDb,
  id: number,
  { status, seq, by }: Decision,
  now: number,
): Promise<void> {
  await sql`
    update moderation_cases
    set status = ${status}, seq = ${seq}, reported = null, updated_at = ${now},
        claimed_by = ${by}, claimed_until = null
    where app_id = ${appId} and message_id = ${id}`.execute(db)
}

/** Of messages that are gone, or say something else by now. */
export async function deleteCases({ appId, db }: AppDb, ids: readonly number[]): Promise<void> {
  await sql`
    delete from moderation_cases
    where app_id = ${appId} and message_id = any(${ids})`.execute(db)
}
