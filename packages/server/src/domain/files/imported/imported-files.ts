import type { AppDb } from '../../../database/app-db.ts'
import { Failure } from '../../../pipeline/failure.ts'
import { type FileRow, lockFileStates } from '../files.sql.ts'
import { requireComplete } from '../named-files.ts'

/** Files of uploads, by upload. Until this transaction ends, nobody checks them further or removes them. */
export async function lockNamed(
  db: AppDb,
  uploadIds: readonly string[],
): Promise<ReadonlyMap<string, FileRow>> {
  const files = await lockFileStates(db, [...new Set(uploadIds)])
  return new Map(files.map((file) => [file.fileId, file]))
}

/** Those that a message from elsewhere may name: of its sender, or of the app itself. Or the failure. */
export function requireOwn(
  files: ReadonlyMap<string, FileRow>,
  uploadIds: readonly string[],
  sender: string,
): FileRow[] {
  return uploadIds.map((uploadId) => {
    const file = files.get(uploadId)
    if (!file || (file.uid !== null && file.uid !== sender)) {
      throw new Failure('ERR_UPLOAD_NOT_FOUND', { uploadId })
    }
    requireComplete(file)
    return file
  })
}
