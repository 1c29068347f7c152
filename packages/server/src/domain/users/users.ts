import type { Input } from '@chorale/contract/operation'
import type { User, UserDetails, users } from '@chorale/contract/users'
import type { AppDb } from '../../database/app-db.ts'
import { cursorOf, paginationOf } from '../../database/keyset.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { afterOf } from '../../pipeline/paging.ts'
import { roleExists } from '../roles/index.ts'
import { accessUser, requireFullAccess, systemUid } from './access.ts'
import { makeAuthToken, revokeAuthTokens } from './auth-tokens.ts'
import { deleteForever, type UserDeletion } from './deletion/index.ts'
import { shown, sortName } from './user-view.ts'
import {
  countUsers,
  existingUids,
  insertUser,
  listUsers,
  setActive,
  type UserRow,
  updateUser,
} from './users.sql.ts'
import { mayGet, requireMayListDeactivated, visibleTo } from './visibility.ts'

const defaultRole = 'default'

export function userHandlers(deletion: UserDeletion): Handlers<typeof users> {
  return {
    async createUser({ body }, ctx) {
      requireUserCreation(ctx, body.role)
      const { withAuthToken, ...user } = body
      if (!(await addUser(ctx, user))) {
        throw new Failure('ERR_UID_ALREADY_EXISTS', { uid: user.uid })
      }
      const data = shown(await accessUser(ctx, user.uid), { withTags: true })
      if (!withAuthToken) return { data }
      return { data: { ...data, authToken: (await makeAuthToken(ctx, user.uid)).authToken } }
    },

    async listUsers({ query }, ctx) {
      requireMayListDeactivated(ctx, query)
      const filter = visibleTo(ctx.actor, query)
      const page = { ...query, after: afterOf(query, ['string', 'string']) }
      const rows = filter ? await listUsers(ctx.db, filter, page) : []
      const counts = query.count || !page.after
      const total = filter && counts ? await countUsers(ctx.db, filter, query.count ?? false) : 0
      const viewer = ctx.actor?.uid
      return {
        data: rows.map((row) => shown(row, { viewer, withTags: query.withTags })),
        meta: {
          pagination: paginationOf(query, rows.length, total),
          cursor: cursorOf(query, rows, lastOf(rows)),
        },
      }
    },

    async getUser({ params: { uid } }, ctx) {
      const row = await accessUser(ctx, uid, ctx.actor?.uid)
      if (!(await mayGet(ctx, row))) {
        throw new Failure('ERR_PERMISSION_DENIED', { what: `the details of ${uid}` })
      }
      return { data: shown(row, { viewer: ctx.actor?.uid, withTags: true }) }
    },

    async updateUser({ params: { uid }, body }, ctx) {
      if (body.role !== undefined) await requireRole(ctx, body.role)
      return { data: await changeUser(ctx, uid, body) }
    },

    async deleteUser({ params: { uid }, body: { permanent } }, ctx) {
      refuseSystemUser('uid', [uid])
      if (permanent) {
        await deleteForever(ctx, deletion, uid)
        return { data: { success: true, message: `The user ${uid} is deleted for ever.` } }
      }
      const [found] = await setActive(ctx.db, [uid], false, ctx.now)
      if (!found?.changed) throw new Failure('ERR_UID_NOT_FOUND', { uid })
      await revokeAuthTokens(ctx, uid)
      await ctx.outbox.append('user.deactivated', { uid })
      const message = `The user ${uid} is deleted.`
      return { data: { success: true, message, deactivatedUids: [uid] } }
    },

    async deactivateUsers({ body: { uidsToDeactivate } }, ctx) {
      refuseSystemUser('uidsToDeactivate', uidsToDeactivate)
      const { changed, unchanged, missing } = await changeActivity(ctx, uidsToDeactivate, false)
      for (const uid of changed) await ctx.outbox.append('user.deactivated', { uid })
      const lists = { deactivatedUids: changed, alreadyDeactivatedUids: unchanged }
      return { data: withoutEmpty({ ...lists, notFound: missing }) }
    },

    async reactivateUsers({ body: { uidsToActivate } }, ctx) {
      const { changed, unchanged, missing } = await changeActivity(ctx, uidsToActivate, true)
      for (const uid of changed) await ctx.outbox.append('user.reactivated', { uid })
      const lists = { reactivatedUids: changed, nonDeactivatedUids: unchanged }
      return { data: withoutEmpty({ ...lists, notFound: missing }) }
    },
  }
}

function withoutEmpty<K extends string>(lists: Readonly<Record<K, string[]>>) {
  const filled = Object.entries<string[]>(lists).filter(([, uids]) => uids.length > 0)
  // Some of the same lists.
  return Object.fromEntries(filled) as Partial<Record<K, string[]>>
}

/** False: the uid is taken. */
export async function addUser(ctx: AppTransaction, user: UserDetails): Promise<boolean> {
  const { uid, name, role = defaultRole, createdAt = ctx.now } = user
  await requireRole(ctx, role)
  const row = { ...user, role, sortName: sortName(name), createdAt }
  if (!(await insertUser(ctx.db, row))) return false
  await ctx.outbox.append('user.created', { uid })
  return true
}

/** Whoever of these is missing is created, if somebody says who they are. */
export async function ensureUsers(
  ctx: WriteCtx,
  uids: readonly string[],
  details: readonly UserDetails[],
): Promise<void> {
  const known = await existingUids(ctx.db, uids)
  const fresh = details.filter(({ uid }) => !known.has(uid))
  // In one order: two calls that create the same two do not wait for each other.
  for (const user of fresh.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))) await addUser(ctx, user)
  const there = fresh.length === 0 ? known : await existingUids(ctx.db, uids)
  const missing = uids.find((uid) => !there.has(uid))
  if (missing !== undefined) throw new Failure('ERR_UID_NOT_FOUND', { uid: missing })
}

type Changes = Input<typeof users.updateUser>['body']

/** The user after the change. */
export async function changeUser(ctx: AppTransaction, uid: string, body: Changes): Promise<User> {
  const emptied = (field: 'avatar' | 'link') => (body.unset?.includes(field) ? null : body[field])
  const changed = await updateUser(
    ctx.db,
    uid,
    {
      name: body.name,
      sortName: body.name === undefined ? undefined : sortName(body.name),
      role: body.role,
      avatar: emptied('avatar'),
      link: emptied('link'),
      statusMessage: body.statusMessage,
      metadata: body.unset?.includes('metadata') ? null : body.metadata,
      tags: body.tags,
    },
    ctx.now,
  )
  if (!changed) throw new Failure('ERR_UID_NOT_FOUND', { uid })
  await ctx.outbox.append('user.updated', { uid })
  return shown(await accessUser(ctx, uid), { withTags: true })
}

/** In whose name the app itself acts. */
export async function seedUsers(db: AppDb, now: number): Promise<void> {
  const name = 'System'
  const row = { uid: systemUid, name, sortName: sortName(name), role: 'default', createdAt: now }
  await insertUser(db, row)
}

function lastOf(rows: readonly UserRow[]) {
  const last = rows.at(-1)
  return last && { key: [last.sortName, last.uid], updatedAt: last.updatedAt ?? last.createdAt }
}

/** An app may keep its auth keys from creating users. */
/** A key that ends up in apps gives nobody more than everybody has, unless the app says so. */
function requireUserCreation({ caller, app: { settings } }: ReadCtx, role = defaultRole): void {
  const mayCreate = settings['apiKeys.authOnlyCreatesUsers'] !== false
  const mayChoose = settings['apiKeys.authOnlyChoosesRoles'] === true
  if (!mayCreate || (role !== defaultRole && !mayChoose)) requireFullAccess(caller)
}

/** An unknown role is a fault of the request: the role is not what was called. */
async function requireRole({ db }: Pick<ReadCtx, 'db'>, role: string): Promise<void> {
  if (!(await roleExists(db, role))) throw badRequest('role', `The role ${role} does not exist.`)
}

function refuseSystemUser(field: string, uids: readonly string[]): void {
  if (uids.includes(systemUid)) throw badRequest(field, `${systemUid} is the app itself and stays.`)
}

async function changeActivity(ctx: WriteCtx, wanted: readonly string[], active: boolean) {
  const asSent = new Map(wanted.map((uid) => [uid.toLowerCase(), uid]))
  const uids = [...asSent.keys()]
  const rows = await setActive(ctx.db, uids, active, ctx.now)
  const found = new Map(rows.map(({ uid, changed }) => [uid, changed]))
  return {
    changed: uids.filter((uid) => found.get(uid) === true),
    unchanged: uids.filter((uid) => found.get(uid) === false),
    missing: [...asSent].filter(([uid]) => !found.has(uid)).map(([, sent]) => sent),
  }
}
