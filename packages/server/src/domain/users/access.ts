import { Failure } from '../../pipeline/failure.ts'
import type { Ctx } from '../../pipeline/handler.ts'
import { findUser, type UserRow } from './users.sql.ts'

/** For operations that only need to know that there is one. */
export async function requireUser(ctx: Ctx, uid: string): Promise<void> {
  await accessUser(ctx, uid)
}

/** The only way to a user: loaded and active, or the failure. */
export async function accessUser({ db }: Ctx, uid: string, viewer?: string): Promise<UserRow> {
  const row = await findUser(db, uid, viewer)
  if (!row) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  return row
}
