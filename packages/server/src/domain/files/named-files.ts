import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import type { EntryFile } from '../log/entries/index.ts'
import { mayUse } from './access.ts'
import { type FileRow, findFiles } from './files.sql.ts'

/** The files of uploads that a message may name; or the failure. `known`: it has named them before. */
export async function requireUsable(
  ctx: Pick<ReadCtx, 'db' | 'caller' | 'actor'>,
  uploadIds: readonly string[],
  known: readonly EntryFile[],
): Promise<FileRow[]> {
  const found = await findFiles(ctx.db, uploadIds)
  return uploadIds.map((uploadId) => {
    const file = found.find(({ fileId }) => fileId === uploadId)
    const isKnown = known.some(({ id }) => id === uploadId)
    if (!file || !(isKnown || mayUse(ctx, file))) {
      throw new Failure('ERR_UPLOAD_NOT_FOUND', { uploadId })
    }
    if (!isKnown) requireComplete(file)
    return file
  })
}

export function requireComplete({ fileId: uploadId, state }: FileRow): void {
  if (state !== 'waiting' && state !== 'refused') return
  const why = state === 'waiting' ? 'it is not complete' : 'it was refused'
  throw new Failure('ERR_UPLOAD_NOT_READY', { uploadId, why })
}

/** As the log keeps it. */
export function entryFileOf({ fileId, storeId, state, facts }: FileRow): EntryFile {
  const about = state === 'ready' ? facts?.about : undefined
  return {
    id: fileId,
    ...(storeId !== null && { store: storeId }),
    ...((state === 'checking' || state === 'refused') && { state }),
    ...(about && { about }),
  }
}
