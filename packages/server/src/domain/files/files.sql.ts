import { sql } from 'kysely'
import { type AppDb, databaseMs } from '../../database/app-db.ts'
import type { EntryFile } from '../log/entries/index.ts'

export type FileState = 'waiting' | 'checking' | 'ready' | 'refused'

/** What checks have found out. */
export interface FileFacts {
  /** Of one that is ready. */
  readonly about?: EntryFile['about']
  /** Of one that is refused. */
  readonly why?: string
  /** How often a look at it has ended the process. */
  readonly broken?: number
}

export interface FileRow {
  readonly fileId: string
  readonly uid: string | null
  readonly storeId: number | null
  readonly state: FileState
  readonly size: number
  readonly createdAt: number
  readonly partsId: string | null
  readonly name: string
  readonly mimeType: string
  readonly facts: FileFacts | null
}

const columns = sql`
  file_id::text as "fileId", uid, store_id as "storeId", state, size, created_at as "createdAt",
  parts_id as "partsId", name, mime_type as "mimeType", facts`

/** With the removal that it meets unless a message names it by then. */
export async function insertFile(
  { appId, db }: AppDb,
  file: FileRow,
  unusedSeconds: number,
): Promise<void> {
  const { fileId, uid, storeId, state, size, createdAt, partsId, name, mimeType } = file
  await sql`
    with removal as (
      insert into file_removals (app_id, file_id, store_id, parts_id, due_at)
      values (${appId}, ${fileId}, ${storeId}, ${partsId}, ${databaseMs} + ${unusedSeconds * 1000}::bigint))
    insert into files (app_id, file_id, uid, store_id, state, size, created_at, parts_id, name, mime_type)
    values (${appId}, ${fileId}, ${uid}, ${storeId}, ${state}, ${size}, ${createdAt}, ${partsId},
            ${name}, ${mimeType})`.execute(db)
}

export async function findFiles({ appId, db }: AppDb, ids: readonly string[]): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    select ${columns} from files
    where app_id = ${appId} and file_id = any(${ids}::uuid[])`.execute(db)
  return rows
}

/** Nobody changes them before this transaction ends; others may read them so too. */
export async function lockFileStates(
  { appId, db }: AppDb,
  ids: readonly string[],
): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    select ${columns} from files
    where app_id = ${appId} and file_id = any(${ids}::uuid[])
    order by file_id for share`.execute(db)
  return rows
}

/** Locked: nobody else changes it before this transaction ends. */
export async function lockFile({ appId, db }: AppDb, id: string): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    select ${columns} from files where app_id = ${appId} and file_id = ${id} for update`.execute(db)
  return rows[0]
}

export async function setFileState(
  { appId, db }: AppDb,
  id: string,
  state: FileState,
): Promise<void> {
  await sql`
    update files set state = ${state} where app_id = ${appId} and file_id = ${id}`.execute(db)
}

/** Uploads of an app that come in the same moment write to different rows. */
const slots = 16

export interface Usage {
  readonly user: number
  readonly app: number
}

/** Counts a file, or takes it off. What there is afterwards, of the user and of the app. */
export function countFile(
  inApp: AppDb,
  file: Pick<FileRow, 'uid' | 'size' | 'fileId'>,
  sign: 1 | -1,
): Promise<Usage> {
  return addUsage(inApp, file, { files: sign, bytes: sign * file.size })
}

/** Of a file that was counted before its size was known. */
export async function setFileSize(
  inApp: AppDb,
  file: Pick<FileRow, 'uid' | 'fileId'>,
  size: number,
): Promise<Usage> {
  const { appId, db } = inApp
  await sql`
    update files set size = ${size}
    where app_id = ${appId} and file_id = ${file.fileId}`.execute(db)
  return addUsage(inApp, file, { files: 0, bytes: size })
}

async function addUsage(
  { appId, db }: AppDb,
  { uid, fileId }: Pick<FileRow, 'uid' | 'fileId'>,
  { files, bytes }: { readonly files: number; readonly bytes: number },
): Promise<Usage> {
  const slot = Number.parseInt(fileId.slice(-1), 16) % slots
  const owners =
    uid === null
      ? [['', slot]]
      : [
          ['', slot],
          [uid, 0],
        ]
  const values = owners.map(
    ([of, at]) => sql`(${appId}, ${of}, ${at}::smallint, ${files}::bigint, ${bytes}::bigint)`,
  )
  await sql`
    insert into file_usage as u (app_id, uid, slot, files, bytes) values ${sql.join(values)}
    on conflict (app_id, uid, slot) do update
      set files = u.files + excluded.files, bytes = u.bytes + excluded.bytes`.execute(db)
  return usageOf({ appId, db }, uid)
}

export async function usageOf({ appId, db }: AppDb, uid: string | null): Promise<Usage> {
  const { rows } = await sql<{ uid: string; bytes: number }>`
    select uid, sum(bytes)::bigint as bytes from file_usage
    where app_id = ${appId} and uid in ('', ${uid ?? ''}) group by uid`.execute(db)
  const of = (name: string) => rows.find((row) => row.uid === name)?.bytes ?? 0
  return { user: uid === null ? 0 : of(uid), app: of('') }
}
