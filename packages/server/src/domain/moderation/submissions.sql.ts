import type { SubmissionQuery, SubmissionStatus } from '@chorale/contract/moderation'
import { sql } from 'kysely'
import { type AppDb, allOf, jsonb } from '../../database/app-db.ts'
import { nextId } from '../../database/buckets.ts'
import type { Extra } from '../log/entries/index.ts'
import type { Place } from '../messages/history/index.ts'
import { within } from '../messages/history/index.ts'
import type { FoundRow } from '../messages/stored/index.ts'

export interface SubmissionRow extends FoundRow {
  readonly status: SubmissionStatus
  readonly revision: number
}

/**
 * A submission like an entry that was found, in the same order and of the same types; it stands
 * nowhere, which is place 0. Of the table `j`.
 */
export const submissionAsFound = `
  0::smallint as bucket, 0::bigint as key, 0::bigint as seq, j.id, j.sender, j.category, j.type,
  j.muid, (j.data || jsonb_build_object('moderation', j.moderation))::text as data, j.extra,
  j.sent_at as "sentAt", j.updated_at as "updatedAt", j.edited_at as "editedAt",
  null::bigint as "deletedAt", j.verdict,
  case j.receiver_type when 'group' then j.receiver end as guid,
  case j.receiver_type when 'user' then j.sender end as uid,
  case j.receiver_type when 'user' then j.receiver end as "withUid"`

const columns = sql.raw(`${submissionAsFound}, j.status, j.revision`)

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
    insert into moderation_submissions as j (app_id, id, muid, sender, receiver_type, receiver,
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
        select ${columns} from moderation_submissions j
        where j.app_id = ${appId} and j.sender = ${sender} and j.receiver_type = ${receiverType}
          and j.receiver = ${receiver} and j.muid = ${muid}`.execute(db)
  if (!rows[0]) throw new Error('A submission that was repeated is gone.')
  return rows[0]
}

export async function findSubmission(
  { appId, db }: AppDb,
  id: number,
  { lock = false } = {},
): Promise<SubmissionRow | undefined> {
  const { rows } = await sql<SubmissionRow>`
    select ${columns} from moderation_submissions j
    where j.app_id = ${appId} and j.id = ${id} ${lock ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}

export async function listSubmissions(
  { appId, db }: AppDb,
  { sender, receiverUID, receiverGUID, category, type, moderationStatus }: SubmissionQuery,
  place: Place,
): Promise<SubmissionRow[]> {
  const { is, walk } = within(sql`j.id`, place)
  const to = (kind: string, receiver: string | undefined) =>
    receiver === undefined ? undefined : sql`j.receiver_type = ${kind} and j.receiver = ${receiver}`
  const wanted = allOf([
    sql`j.app_id = ${appId} and ${is}`,
    sender === undefined ? undefined : sql`j.sender = ${sender}`,
    to('user', receiverUID),
    to('group', receiverGUID),
    category && sql`j.category = ${category}`,
    type === undefined ? undefined : sql`j.type = ${type}`,
    moderationStatus && sql`j.status = ${moderationStatus}`,
  ])
  const { rows } = await sql<SubmissionRow>`
    select ${columns} from moderation_submissions j where ${wanted} ${walk}`.execute(db)
  return rows
}

/** To be moderated again, as what it says now. */
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
        leased_until = null, attempt = 0
    where app_id = ${appId} and id = ${id}`.execute(db)
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
        updated_at = ${now}, leased_until = null
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
