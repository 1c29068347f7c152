import type { AppDb } from '../../../database/app-db.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { WriteCtx } from '../../../pipeline/handler.ts'
import { requireNoHoldOn } from '../../holds/index.ts'
import { forgetJwts } from '../auth-tokens.ts'
import { deleteUserForever } from '../users.sql.ts'

/** What modules to the right do when a user is deleted for ever. */
export interface UserDeletion {
  /** First, while the user is there: owned groups are passed on. */
  readonly leaveGroups: (ctx: WriteCtx, uid: string) => Promise<void>
  /** Delete the rows that the user leaves behind. */
  readonly erase: readonly ((db: AppDb, uid: string) => Promise<void>)[]
}

/** The user and what is kept about them; what they wrote in groups stays. */
export async function deleteForever(
  ctx: WriteCtx,
  { leaveGroups, erase }: UserDeletion,
  uid: string,
): Promise<void> {
  await requireNoHoldOn(ctx, { uid })
  await leaveGroups(ctx, uid)
  for (const deleteRows of erase) await deleteRows(ctx.db, uid)
  if (!(await deleteUserForever(ctx.db, uid))) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  await forgetJwts(ctx, uid)
  await ctx.outbox.append('user.deleted', { uid })
}
