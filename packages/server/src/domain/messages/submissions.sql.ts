import type { SubmissionQuery, SubmissionStatus } from '@chorale/contract/moderation'
import { sql } from 'kysely'
import { type AppDb, allOf, jsonb } from '../../database/app-db.ts'
import { nextId } from '../../database/buckets.ts'
import type { Extra } from '../conversations/index.ts'
import type { Judgement } from '../moderation/index.ts'
import type { FoundRow } from './messages.sql.ts'
import { within } from './windows.sql.ts'
import type { Place } from './windows.ts'

export interface SubmissionRow extends FoundRow {
  readonly status: SubmissionStatus
  readonly revision: number
}

/**
 * A submission like an entry that was found, in the same order and of the same types; it stands
 * nowhere, which is place 0. Needs the table `s`.
 */
export const submissionAsFound = sql.raw(`
  0::smallint as bucket, 0::bigint as key, 0::bigint as seq, s.id, s.sender, s.category, s.type,
  s.muid, (s.data || jsonb_build_object('moderation', s.moderation))::text as data, s.extra,
  s.sent_at as "sentAt", s.updated_at as "updatedAt", s.edited_at as "editedAt",
  null::bigint as "deletedAt", s.verdict,
  case s.receiver_type when 'group' then s.receiver end as guid,
  case s.receiver_type when 'user' then s.sender end as uid,
  case s.receiver_type when 'user' then s.receiver end as "withUid"`)

const columns = sql`${submissionAsFound}, s.status, s.revision`

export interface NewSubmission {
  readonly muid: string | undefined
  readonly sender: string
  readonly receiverType: 'user' | 'group'
  readonly receiver: string
  readonly category: string
  readonly type: string
  readonly data: object
  readonly extra: Extra | undefined
  readonly sentAt: number
}

/** The one that is there, if the sender has repeated it. */
export async function ensureSubmission(
  { appId, db }: AppDb,
  one: NewSubmission,
  now: number,
): Promise<SubmissionRow> {
  const { muid, sender, receiverType, receiver, category, type } = one
  const inserted = await sql<SubmissionRow>`
    insert into moderation_submissions as s (app_id, id, muid, sender, receiver_type, receiver,
      category, type, data, extra, sent_at, created_at, updated_at)
    values (${appId}, ${nextId(0)}, ${muid ?? null}, ${sender}, ${receiverType},
            ${receiver}, ${category}, ${type}, ${jsonb(one.data)}, ${jsonb(one.extra)},
            ${one.sentAt}, ${now}, ${now})
    on conflict (app_id, sender, receiver_type, receiver, muid) where muid is not null do nothing
    returning ${columns}`.execute(db)
  // A statement of its own: it sees what the first one met.
  const { rows } = inserted.rows[0]
    ? inserted
    : await sql<SubmissionRow>`
        select ${columns} from moderation_submissions s
        where s.app_id = ${appId} and s.sender = ${sender} and s.receiver_type = ${receiverType}
          and s.receiver = ${receiver} and s.muid = ${muid}`.execute(db)
  if (!rows[0]) throw new Error('A submission that was repeated is gone.')
  return rows[0]
}

export async function findSubmission(
  { appId, db }: AppDb,
  id: number,
  { lock = false } = {},
): Promise<SubmissionRow | undefined> {
  const { rows } = await sql<SubmissionRow>`
    select ${columns} from moderation_submissions s
    where s.app_id = ${appId} and s.id = ${id} ${lock ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}

export async function listSubmissions(
  { appId, db }: AppDb,
  { sender, receiverUID, receiverGUID, category, type, moderationStatus }: SubmissionQuery,
  place: Place,
): Promise<SubmissionRow[]> {
  const { is, walk } = within(sql`s.id`, place)
  const to = (kind: string, receiver: string | undefined) =>
    receiver === undefined ? undefined : sql`s.receiver_type = ${kind} and s.receiver = ${receiver}`
  const wanted = allOf([
    sql`s.app_id = ${appId} and ${is}`,
    sender === undefined ? undefined : sql`s.sender = ${sender}`,
    to('user', receiverUID),
    to('group', receiverGUID),
    category && sql`s.category = ${category}`,
    type === undefined ? undefined : sql`s.type = ${type}`,
    moderationStatus && sql`s.status = ${moderationStatus}`,
  ])
  const { rows } = await sql<SubmissionRow>`
    select ${columns} from moderation_submissions s where ${wanted} ${walk}`.execute(db)
  return rows
}

/** To be judged again, as what it says now. */
export async function updateSubmission(
  { appId, db }: AppDb,
  id: number,
  { data, extra }: { readonly data: object; readonly extra: Extra },
  now: number,
): Promise<void> {
  await sql`
    update moderation_submissions
    set data = ${jsonb(data)}, extra = ${jsonb(extra)}, edited_at = ${now}, updated_at = ${now},
        revision = revision + 1, moderation = default, verdict = null, due_at = default,
        tries = 0
    where app_id = ${appId} and id = ${id}`.execute(db)
}

/** False: it was judged already, or has changed since. */
export async function settleSubmission(
  { appId, db }: AppDb,
  { id, revision }: { readonly id: number; readonly revision: number },
  { moderation, verdict }: Judgement,
  now: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update moderation_submissions
    set moderation = ${jsonb(moderation)}, verdict = ${jsonb(verdict)}, updated_at = ${now}
    where app_id = ${appId} and id = ${id} and revision = ${revision}
      and status = 'pending'`.execute(db)
  return numAffectedRows === 1n
}

/** A moderator has decided; which rule had caught it stays to be seen. */
export async function restateSubmission(
  { appId, db }: AppDb,
  id: number,
  status: SubmissionStatus,
  now: number,
): Promise<void> {
  await sql`
    update moderation_submissions
    set moderation = moderation || jsonb_build_object('status', ${status}::text),
        updated_at = ${now}
    where app_id = ${appId} and id = ${id}`.execute(db)
}

/** False: there is none. */
export async function deleteSubmission({ appId, db }: AppDb, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from moderation_submissions where app_id = ${appId} and id = ${id}`.execute(db)
  return numAffectedRows === 1n
}

/** What this user has said, and what was said to them: the ids. */
export async function deleteSubmissionsOf({ appId, db }: AppDb, uid: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    delete from moderation_submissions
    where app_id = ${appId}
      and (sender = ${uid} or (receiver_type = 'user' and receiver = ${uid}))
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}
