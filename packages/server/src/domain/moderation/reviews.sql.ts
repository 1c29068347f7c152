import type { ReviewStatus } from '@chorale/contract/moderation'
import { type RawBuilder, sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { Entry, Verdict } from '../log/entries/index.ts'
import { asFound, type FoundRow, foundColumns, sides } from '../messages/stored/index.ts'
import { submissionAsFound } from './submissions.sql.ts'

/** A message that moderators look at, or have reviewed. */
export interface CaseRow {
  readonly entry: Entry
  /** Under which the message was sent; one that was delivered later has another by now. */
  readonly messageId: number
  readonly caught: Verdict | null
  readonly kind: 'blocked' | 'flagged'
  readonly parentSeq: number | null
  /** What it said when users reported it. */
  readonly reported: readonly object[] | null
  readonly openedAt: number
  readonly movedAt: number
  readonly status: ReviewStatus | 'open'
  /** Who looks at it, or has decided. */
  readonly claimedBy: string | null
  readonly claimedUntil: number | null
}

type Row = FoundRow & Omit<CaseRow, 'entry'>

const columns = sql`
  m.*, c.message_id as "messageId", c.verdict as caught, c.kind, c.reported, c.created_at as "openedAt",
  c.updated_at as "movedAt", c.status, c.claimed_by as "claimedBy",
  c.claimed_until as "claimedUntil"`

/**
 * Entries and submissions. The limit keeps it a probe: a conversation that is gone has no entry any
 * more.
 */
const source = sql`
  moderation_cases c
  cross join lateral (
    (select ${foundColumns}, e.parent_seq as "parentSeq" from entries e
     join conversations v on v.bucket = e.bucket and v.conversation_key = e.conversation_key
     ${sides}
     where e.bucket = c.bucket and e.conversation_key = c.conversation_key and e.seq = c.seq
       and e.app_id = c.app_id limit 1)
    union all
    (select ${sql.raw(submissionAsFound)}, null from moderation_submissions j
     where c.seq = 0 and j.app_id = c.app_id and j.id = c.message_id)) m`

export type Queue = 'blocked' | 'flagged' | 'reviewed'

const queues: Readonly<Record<Queue, { is: RawBuilder<unknown>; order: RawBuilder<unknown> }>> = {
  blocked: open('blocked'),
  flagged: open('flagged'),
  reviewed: { is: sql`c.status <> 'open'`, order: sql`c.updated_at desc, c.message_id desc` },
}

function open(kind: CaseRow['kind']) {
  return { is: sql`c.status = 'open' and c.kind = ${kind}`, order: sql`c.message_id desc` }
}

export async function listCases(
  { appId, db }: AppDb,
  queue: Queue,
  { limit, page }: { readonly limit: number; readonly page: number },
): Promise<CaseRow[]> {
  const { is, order } = queues[queue]
  const { rows } = await sql<Row>`
    select ${columns} from ${source}
    where c.app_id = ${appId} and ${is}
    order by ${order} limit ${limit} offset ${(page - 1) * limit}`.execute(db)
  return rows.map(asCase)
}

/** The oldest first. */
export async function findCases({ appId, db }: AppDb, ids: readonly number[]): Promise<CaseRow[]> {
  const { rows } = await sql<Row>`
    select ${columns} from ${source}
    where c.app_id = ${appId} and c.message_id = any(${ids})
    order by c.message_id`.execute(db)
  return rows.map(asCase)
}

/** Held until the end. */
export async function findCase({ appId, db }: AppDb, id: number): Promise<CaseRow | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from ${source}
    where c.app_id = ${appId} and c.message_id = ${id} for update of c`.execute(db)
  return rows[0] && asCase(rows[0])
}

function asCase(found: Row): CaseRow {
  const { messageId, caught, kind, reported, parentSeq, openedAt, movedAt, ...rest } = found
  const { status, claimedBy, claimedUntil, ...row } = rest
  const claim = { status, claimedBy, claimedUntil }
  const times = { openedAt, movedAt }
  return { entry: asFound(row), messageId, caught, kind, reported, parentSeq, ...times, ...claim }
}

export interface FlagRow {
  readonly messageId: number
  readonly uid: string
  readonly reasonId: string
  /** Null: the reason is one of every app, or was deleted. */
  readonly reasonName: string | null
  readonly description: string | null
  readonly remark: string | null
  readonly flaggedAt: number
}

export async function findFlags({ appId, db }: AppDb, ids: readonly number[]): Promise<FlagRow[]> {
  const { rows } = await sql<FlagRow>`
    select f.message_id as "messageId", f.uid, f.reason_id as "reasonId", r.name as "reasonName",
           r.description, f.remark, f.flagged_at as "flaggedAt"
    from moderation_flags f
    left join moderation_reasons r on r.app_id = f.app_id and r.reason_id = f.reason_id
    where f.app_id = ${appId} and f.message_id = any(${ids})
    order by f.flagged_at, f.uid`.execute(db)
  return rows
}
