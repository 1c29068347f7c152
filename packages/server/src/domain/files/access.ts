import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import { type FileRow, findFiles, lockFile } from './files.sql.ts'

type Asking = Pick<ReadCtx, 'db' | 'caller' | 'actor'>

/** The file of an upload. A user has their own; the server of the app has all. */
export async function accessFile(
  ctx: Asking,
  uploadId: string,
  to: 'read' | 'change',
): Promise<FileRow> {
  const file =
    to === 'change' ? await lockFile(ctx.db, uploadId) : (await findFiles(ctx.db, [uploadId]))[0]
  if (!file || !mayUse(ctx, file)) throw new Failure('ERR_UPLOAD_NOT_FOUND', { uploadId })
  return file
}

export function mayUse({ caller, actor }: Asking, { uid }: FileRow): boolean {
  return caller.kind !== 'device' || uid === actor?.uid
}
