import { sql } from 'kysely'
import { type AppDb, databaseMs, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../jobs/queue.sql.ts'
import type { EntryRef } from '../../outbox/events.ts'
import type { FileFacts, FileRow, FileState } from './files.sql.ts'

export interface FileCheckJob
  extends Job,
    Pick<FileRow, 'uid' | 'storeId' | 'size' | 'name' | 'mimeType'> {
  readonly fileId: string
  /** The step that comes next. */
  readonly step: string
  /** What earlier steps have found out. */
  readonly facts: FileFacts
}

export const fileCheckQueue = defineQueue<FileCheckJob>({
  name: 'file checks',
  table: 'file_checks',
  key: { app_id: 'appId', file_id: 'fileId' },
  open: 'true',
  columns: `
    j.file_id::text as "fileId", j.step, j.facts, f.uid, f.store_id as "storeId", f.size, f.name,
    f.mime_type as "mimeType"`,
  joins: 'join files f on f.app_id = j.app_id and f.file_id = j.file_id',
})

export async function insertCheck({ appId, db }: AppDb, fileId: string, step: string) {
  await sql`
    insert into file_checks (app_id, file_id, step, due_at)
    values (${appId}, ${fileId}, ${step}, ${databaseMs})
    on conflict do nothing`.execute(db)
}

/** False: the lease is lost. */
export async function nextCheck(
  db: Db,
  job: FileCheckJob,
  to: { readonly step: string; readonly facts: FileFacts; readonly afterMs: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update file_checks set step = ${to.step}, facts = ${jsonb(to.facts)}, attempt = 0,
      ${dueAgain(to.afterMs)}
    where ${fileCheckQueue.held(job)}`.execute(db)
  return numAffectedRows === 1n
}

/** False: the lease is lost. */
export async function endCheck(db: Db, job: FileCheckJob): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from file_checks where ${fileCheckQueue.held(job)}`.execute(db)
  return numAffectedRows === 1n
}

export async function recordFacts(
  { appId, db }: AppDb,
  fileId: string,
  to: { readonly state: FileState; readonly facts: FileFacts },
): Promise<void> {
  await sql`
    update files set state = ${to.state}, facts = ${jsonb(to.facts)}
    where app_id = ${appId} and file_id = ${fileId}`.execute(db)
}

/** Messages that name the file, in the order in which they are locked. */
export async function messagesWith({ appId, db }: AppDb, fileId: string): Promise<EntryRef[]> {
  const { rows } = await sql<EntryRef>`
    select m.bucket, m.conversation_key as key, m.seq, e.id from message_files m
    join entries e on e.bucket = m.bucket and e.conversation_key = m.conversation_key
      and e.seq = m.seq
    where m.app_id = ${appId} and m.file_id = ${fileId}
    order by m.bucket, m.conversation_key, m.seq`.execute(db)
  return rows
}
