import type { Caller } from '../../pipeline/caller.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { ReadCtx } from '../../pipeline/handler.ts'
import { findUser, type UserRow } from './users.sql.ts'

/** For operations that only need to know that there is one. */
export async function requireUser(ctx: ReadCtx, uid: string): Promise<void> {
  await accessUser(ctx, uid)
}

/** The only way to a user: loaded and active, or the failure. */
export async function accessUser(
  { db }: Pick<ReadCtx, 'db'>,
  uid: string,
  viewer?: string,
): Promise<UserRow> {
  const row = await findUser(db, uid, viewer)
  if (!row) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  return row
}

/** Acts where nobody is named: what the app itself says is said by it. */
export const systemUid = 'app_system'

/** For what a key of scope authOnly may not do although it may call the operation. */
export function requireFullAccess(caller: Caller): void {
  if (caller.kind !== 'key' || caller.scope !== 'authOnly') return
  throw new Failure('AUTH_ERR_NO_ACCESS', { needed: 'an API key with the scope fullAccess' })
}
