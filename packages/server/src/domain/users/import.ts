import { isDeepStrictEqual } from 'node:util'
import type { ImportedUser } from '@chorale/contract/imports'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import { roleExists } from '../roles/index.ts'
import { importAuthTokens } from './auth-tokens.ts'
import { insertUsers } from './import.sql.ts'
import { sortName } from './user-view.ts'
import { findUsers, type UserRow, updateUser } from './users.sql.ts'

const defaultRole = 'default'

/**
 * Stores users who come from elsewhere, without an event. By uid: the stored user, or why there is
 * none. Who is stored already, and is the same, is as good.
 */
export async function importUsers(
  ctx: WriteCtx,
  users: readonly ImportedUser[],
  update = false,
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
  const uids = [...byUid.keys()]
  const stored = await findUsers(ctx.db, uids, undefined)
  const changed = update && (await changeUsers(ctx, stored, byUid))
  const current = changed ? await findUsers(ctx.db, uids, undefined) : stored
  const rows = new Map(current.map((row) => [row.uid, row]))
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

/** Makes those who differ what the call says; whether there were any. */
async function changeUsers(
  ctx: WriteCtx,
  stored: readonly UserRow[],
  wanted: ReadonlyMap<string, ImportedUser>,
): Promise<boolean> {
  let anyone = false
  for (const row of stored.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))) {
    const user = wanted.get(row.uid)
    if (!user || isSame(user, row)) continue
    const { name, role, avatar, link, statusMessage, metadata, tags } = user
    const profile = { name, sortName: sortName(name), role, avatar, link, statusMessage, metadata }
    await updateUser(ctx.db, row.uid, { ...profile, tags }, ctx.now)
    anyone = true
  }
  return anyone
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
