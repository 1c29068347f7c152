import { isDeepStrictEqual } from 'node:util'
import type { ImportedUser } from '@chorale/contract/imports'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import { roleExists } from '../roles/index.ts'
import { importAuthTokens } from './auth-tokens.ts'
import { insertUsers } from './import.sql.ts'
import { sortName } from './user-view.ts'
import { findUsers, type UserRow } from './users.sql.ts'

const defaultRole = 'default'

/**
 * Stores users who come from elsewhere, without an event. By uid: the stored user, or why there is
 * none. Who is stored already, and is the same, is as good.
 */
export async function importUsers(
  ctx: WriteCtx,
  users: readonly ImportedUser[],
): Promise<ReadonlyMap<string, UserRow | Failure>> {
  const byUid = new Map(users.map((user) => [user.uid, user]))
  const unknown = new Set<string>()
  for (const role of new Set(users.map(roleOf))) {
    if (!(await roleExists(ctx.db, role))) unknown.add(role)
  }
  const known = [...byUid.values()].filter((user) => !unknown.has(roleOf(user)))
  await insertUsers(
    ctx.db,
    known.map((user) => ({
      ...user,
      role: roleOf(user),
      sortName: sortName(user.name),
      createdAt: user.createdAt ?? ctx.now,
    })),
  )
  const withTokens = known.flatMap(({ uid, authTokens = [] }) => ({ uid, authTokens }))
  const impostors = await importAuthTokens(ctx, withTokens)
  const stored = await findUsers(ctx.db, [...byUid.keys()], undefined)
  const rows = new Map(stored.map((row) => [row.uid, row]))
  return new Map(
    [...byUid].map(([uid, user]) => {
      const row = rows.get(uid)
      if (!row) return [uid, badRequest('role', `The role ${roleOf(user)} does not exist.`)]
      if (impostors.has(uid))
        return [uid, badRequest('authTokens', 'Another user has one of them.')]
      return [uid, isSame(user, row) ? row : new Failure('ERR_UID_ALREADY_EXISTS', { uid })]
    }),
  )
}

function roleOf({ role = defaultRole }: ImportedUser): string {
  return role
}

/** In all that the call says. */
function isSame(user: ImportedUser, row: UserRow): boolean {
  const names = ['name', 'avatar', 'link', 'role', 'statusMessage', 'createdAt'] as const
  const lists = ['metadata', 'tags'] as const
  return (
    names.every((name) => user[name] === undefined || user[name] === row[name]) &&
    lists.every((name) => user[name] === undefined || isDeepStrictEqual(user[name], row[name]))
  )
}
