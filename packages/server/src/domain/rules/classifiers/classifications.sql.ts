import { sql } from 'kysely'
import { type AppDb, databaseMs, jsonb } from '../../../database/app-db.ts'
import type { Db } from '../../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../../jobs/queue.sql.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { EntryRef } from '../../../outbox/events.ts'
import type { EntryRow, Extra, Verdict } from '../../log/entries/index.ts'
import type { AppendAddition } from '../../log/index.ts'
import type { Consulted } from './classifiers.ts'

/** What an edit would change, once it may. */
export interface Edit {
  readonly by: string
  /** Whether lists of conversations show that it was edited. */
  readonly visible: boolean
  readonly data: Readonly<Record<string, unknown>>
  /** What changes beside the data. */
  readonly extra: Extra
  /** With the questions. */
  readonly verdict: Verdict
}

/** Something that classifiers decide about, in the order in which its sender sent it. */
export interface Classification extends ConversationKey {
  readonly appId: string
  readonly place: number
  readonly seq: number
  readonly messageId: number
  readonly parentSeq: number | null
  /** Those of one sender in one conversation take effect in their order. */
  readonly sender: string
  /** Null: the message is new. */
  readonly edit: Edit | null
  /** Null: nothing is decided yet. */
  readonly outcome: Consulted | null
}

export interface ClassificationJob extends Classification, Job {
  /** Since it was sent. */
  readonly elapsedMs: number
}

const columns = `
  j.app_id as "appId", j.place, j.bucket, j.conversation_key as key, j.seq,
  j.message_id as "messageId", j.parent_seq as "parentSeq", j.sender, j.edit, j.outcome`

export const classificationQueue = defineQueue<ClassificationJob>({
  name: 'classifications',
  table: 'moderation_classifications',
  key: { app_id: 'appId', place: 'place' },
  open: 'j.outcome is null',
  columns: `${columns}, m.now - j.asked_at as "elapsedMs"`,
})

/** A new message that waits for classifiers is enqueued with its append. */
export const pendingClassifications: AppendAddition = {
  name: 'pending_classifications',
  field: 'awaitsClassifier',
  queue: classificationQueue,
  insert: `
    insert into moderation_classifications (app_id, bucket, conversation_key, seq, message_id, parent_seq,
                                       sender, asked_at, due_at)
    select app_id, bucket, key, seq, id, parent_seq, sender, m.now, m.now
    from appended
    cross join (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) m
    where verdict ? 'pending'
    order by nth`,
}

/** Of an edit. */
export async function insertClassification(
  { appId, db }: AppDb,
  { bucket, key, seq, id }: EntryRow,
  edit: Edit,
): Promise<void> {
  await sql`
    insert into moderation_classifications (app_id, bucket, conversation_key, seq, message_id, sender,
                                       edit, asked_at, due_at)
    values (${appId}, ${bucket}, ${key}, ${seq}, ${id}, ${edit.by}, ${jsonb(edit)},
            ${databaseMs}, ${databaseMs})`.execute(db)
}

/** False: the lease is lost. */
export async function recordOutcome(
  db: Db,
  job: ClassificationJob,
  outcome: Consulted,
): Promise<boolean> {
  const { rows } = await sql`
    update moderation_classifications set leased_until = null, outcome = ${jsonb(outcome)}
    where ${classificationQueue.held(job)} returning place`.execute(db)
  return rows.length > 0
}

/** Asked about after so long, or once somebody says that it is ready. Until then no time has passed. */
export async function postpone(db: Db, job: ClassificationJob, afterMs: number): Promise<void> {
  await sql`
    update moderation_classifications
    set attempt = 0, asked_at = ${databaseMs} + ${afterMs}::bigint, ${dueAgain(afterMs)}
    where ${classificationQueue.held(job)}`.execute(db)
}

/** What was postponed of this message is asked about now. False: nothing was. */
export async function hasten(
  { appId, db }: AppDb,
  { bucket, key, id }: EntryRef,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update moderation_classifications set asked_at = ${databaseMs}, due_at = ${databaseMs}
    where bucket = ${bucket} and conversation_key = ${key} and message_id = ${id}
      and app_id = ${appId} and outcome is null and leased_until is null
      and due_at > ${databaseMs}`.execute(db)
  return numAffectedRows > 0n
}

/** Takes the first of this sender in this conversation out of the queue, if it is decided. */
export async function takeDecided(
  { appId, db }: AppDb,
  waiting: Classification,
): Promise<Classification | undefined> {
  const { rows } = await sql<Classification>`
    delete from moderation_classifications j using (
      select place from moderation_classifications
      where bucket = ${waiting.bucket} and conversation_key = ${waiting.key} and sender = ${waiting.sender}
        and app_id = ${appId}
      order by place limit 1) f
    where j.app_id = ${appId} and j.place = f.place and j.outcome is not null
    returning ${sql.raw(columns)}`.execute(db)
  return rows[0]
}

/** Among so many of the newest entries; a conversation may have few texts, or none. */
const maxWalked = 500

/** The newest that people can see, oldest first; `before`: of an earlier place than this. */
export async function findRemarks(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  { most, before }: { readonly most: number; readonly before: number | undefined },
): Promise<{ uid: string; text: string }[]> {
  const { rows } = await sql<{ uid: string; text: string }>`
    select e.sender as uid, e.data ->> 'text' as text from (
      select * from entries e
      where e.bucket = ${bucket} and e.conversation_key = ${key} and e.app_id = ${appId}
        and (${before ?? null}::bigint is null or e.seq < ${before ?? null})
      order by e.seq desc limit ${maxWalked}) e
    where e.deleted_at is null and e.category <> 'action' and e.data ->> 'text' is not null
    order by e.seq desc limit ${most}`.execute(db)
  return rows.reverse()
}
