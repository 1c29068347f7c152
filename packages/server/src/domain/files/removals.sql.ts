import { sql } from 'kysely'
import { type AppDb, databaseMs } from '../../database/app-db.ts'
import { bigints } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, type Job } from '../../jobs/queue.sql.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import { countFile, type FileRow } from './files.sql.ts'

export interface FileRemovalJob extends Job {
  readonly fileId: string
  readonly storeId: number | null
  readonly partsId: string | null
}

export const fileRemovalQueue = defineQueue<FileRemovalJob>({
  name: 'file removals',
  table: 'file_removals',
  key: { app_id: 'appId', file_id: 'fileId' },
  open: 'true',
  columns: 'j.file_id::text as "fileId", j.store_id as "storeId", j.parts_id as "partsId"',
})

/** Whether any message names it. */
export async function isNamed({ appId, db }: AppDb, fileId: string): Promise<boolean> {
  const { rows } = await sql`
    select from message_files where app_id = ${appId} and file_id = ${fileId} limit 1`.execute(db)
  return rows.length > 0
}

/** Its row goes now, its bytes with the job. */
export async function removeFile(inApp: AppDb, file: FileRow): Promise<void> {
  await removeSoon(inApp, [file.fileId])
  await forgetFile(inApp, file.fileId)
}

export async function forgetFile(inApp: AppDb, fileId: string): Promise<void> {
  const { appId, db } = inApp
  const { rows } = await sql<Pick<FileRow, 'uid' | 'size' | 'fileId'>>`
    delete from files where app_id = ${appId} and file_id = ${fileId}
    returning uid, size, file_id::text as "fileId"`.execute(db)
  const [gone] = rows
  if (gone) await countFile(inApp, gone, -1)
  await sql`delete from file_checks where app_id = ${appId} and file_id = ${fileId}`.execute(db)
}

async function removeSoon({ appId, db }: AppDb, fileIds: readonly string[]): Promise<void> {
  await sql`
    insert into file_removals as r (app_id, file_id, store_id, parts_id, due_at)
    select ${appId}, id, f.store_id, f.parts_id, ${databaseMs}
    from unnest(${fileIds}::uuid[]) as id
    left join files f on f.app_id = ${appId} and f.file_id = id
    order by id
    on conflict (app_id, file_id) do update set due_at = excluded.due_at, leased_until = null`.execute(
    db,
  )
}

/** These messages cease to name their files. Whether one is removed is for the job to say. */
export async function releaseFilesOf(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seqs: readonly number[],
): Promise<void> {
  const { rows } = await sql<{ fileId: string }>`
    delete from message_files
    where bucket = ${bucket} and conversation_key = ${key} and seq = any(${bigints(seqs)}::bigint[])
      and app_id = ${appId}
    returning file_id::text as "fileId"`.execute(db)
  const ids = [...new Set(rows.map(({ fileId }) => fileId))]
  if (ids.length > 0) await removeSoon({ appId, db }, ids)
}

/** The same of a conversation that is gone, in steps. True: there may be more. */
export async function releaseFilesIn(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  most: number,
): Promise<boolean> {
  const here = sql`bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}`
  // A bucket lies in one partition, so a ctid names one row.
  const { rows } = await sql<{ fileId: string }>`
    delete from message_files where ${here} and ctid = any(array(
      select ctid from message_files where ${here} limit ${most}))
    returning file_id::text as "fileId"`.execute(db)
  const ids = [...new Set(rows.map(({ fileId }) => fileId))]
  if (ids.length > 0) await removeSoon({ appId, db }, ids)
  return rows.length === most
}

/** False: the lease is lost. */
export async function endRemoval(db: Db, job: FileRemovalJob): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from file_removals where ${fileRemovalQueue.held(job)}`.execute(db)
  return numAffectedRows === 1n
}

/** Of these, the ones that have a row: the others are orphans. */
export async function knownFiles({ appId, db }: AppDb, ids: readonly string[]) {
  const { rows } = await sql<{ fileId: string }>`
    select file_id::text as "fileId" from files
    where app_id = ${appId} and file_id = any(${ids}::uuid[])
    union
    select file_id::text from file_removals
    where app_id = ${appId} and file_id = any(${ids}::uuid[])`.execute(db)
  return new Set(rows.map(({ fileId }) => fileId))
}
