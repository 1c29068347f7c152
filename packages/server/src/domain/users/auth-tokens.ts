import { randomBytes } from 'node:crypto'
import type { authTokens } from '@chorale/contract/users'
import { paginationOf } from '../../database/keyset.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../pipeline/handler.ts'
import { placeIn, sealedColumns } from '../../vault/sealed-columns.ts'
import { limitOf, tokenPlace } from '../apps/index.ts'
import { accessUser, requireFullAccess, systemUid } from './access.ts'
import {
  bindAuthToken,
  countAuthTokens,
  deleteAuthToken,
  deleteAuthTokens,
  findAuthToken,
  insertAuthToken,
  insertAuthTokens,
  listAuthTokens,
  type TokenRow,
} from './auth-tokens.sql.ts'
import { insertJwtRevocation } from './issuers/sessions.sql.ts'
import { existingUids } from './users.sql.ts'

/** The oldest gives way when a user has more. */
export const maxTokens = 100
/** No JWT is accepted when it is older: the most that an issuer can be given. */
const oldestJwtSeconds = 2_592_000

export const authTokenHandlers: Handlers<typeof authTokens> = {
  async createAuthToken({ params: { uid }, body }, ctx) {
    await accessUser(ctx, uid)
    if (uid === systemUid) requireFullAccess(ctx.caller)
    // Always a new one: who logs out on one device is not logged out on the others.
    return { data: await makeAuthToken(ctx, uid, body.lifetimeSeconds) }
  },

  async listAuthTokens({ params: { uid }, query }, ctx) {
    await accessUser(ctx, uid)
    const rows = await listAuthTokens(ctx.db, uid, query, ctx.now)
    const total = await countAuthTokens(ctx.db, uid, ctx.now)
    return {
      data: rows.map((row) => shown(row, ctx)),
      meta: { pagination: paginationOf(query, rows.length, total) },
    }
  },

  async deleteAuthTokens({ params: { uid } }, ctx) {
    await accessUser(ctx, uid)
    await revokeAuthTokens(ctx, uid)
    return { data: { success: true, message: `All auth tokens of ${uid} are deleted.` } }
  },

  async getAuthToken({ params: { uid, authToken } }, ctx) {
    return { data: shown(await accessToken(ctx, uid, authToken), ctx) }
  },

  async updateAuthToken({ params: { uid, authToken }, body }, ctx) {
    const row = await accessToken(ctx, uid, authToken)
    const bound = await bindAuthToken(ctx.db, hashOf(authToken, ctx), body)
    if (!bound) throw new Failure('ERR_AUTHTOKEN_UNAVAILABLE')
    return { data: shown(row, ctx) }
  },

  async deleteAuthToken({ params: { uid, authToken } }, ctx) {
    await accessToken(ctx, uid, authToken)
    await revokeAuthToken(ctx, uid, hashOf(authToken, ctx))
    return { data: { success: true, message: 'The auth token is deleted.' } }
  },
}

export async function makeAuthToken(ctx: WriteCtx, uid: string, lifetimeSeconds?: number) {
  const authToken = `${uid}_${ctx.now}${randomBytes(20).toString('hex')}`
  const tokenHash = hashOf(authToken, ctx)
  const row = {
    uid,
    tokenHash,
    tokenEncrypted: ctx.vault.seal(
      authToken,
      placeIn(sealedColumns.authToken, ctx.db.appId, tokenHash),
    ),
    createdAt: ctx.now,
    expiresAt: expiryOf(ctx, lifetimeSeconds),
  }
  // One after the other, or two that see a hundred would leave more.
  await existingUids(ctx.db, [uid], { alone: true })
  const anyGone = await insertAuthToken(ctx.db, row, maxTokens)
  if (anyGone) await ctx.outbox.append('authTokens.revoked', { uid })
  return shownToken(authToken, row)
}

/** Of users who come from elsewhere, with what their devices have. Uids: who has one of another user. */
export async function importAuthTokens(
  ctx: WriteCtx,
  users: readonly { readonly uid: string; readonly authTokens: readonly string[] }[],
): Promise<ReadonlySet<string>> {
  const rows = users.flatMap(({ uid, authTokens }) =>
    authTokens.map((authToken) => {
      const tokenHash = hashOf(authToken, ctx)
      const place = placeIn(sealedColumns.authToken, ctx.db.appId, tokenHash)
      const tokenEncrypted = ctx.vault.seal(authToken, place)
      return { uid, tokenHash, tokenEncrypted, createdAt: ctx.now, expiresAt: null }
    }),
  )
  return rows.length > 0 ? insertAuthTokens(ctx.db, rows) : new Set()
}

/** Whoever asks may shorten what the app allows, and not lengthen it. */
function expiryOf({ app, now }: ReadCtx, wanted: number | undefined): number | null {
  const allowed = limitOf(app, 'authTokens.lifetimeSeconds')
  const lifetimes = [allowed, wanted ?? 0].filter((seconds) => seconds > 0)
  return lifetimes.length === 0 ? null : now + Math.min(...lifetimes)
}

export async function revokeAuthToken(
  ctx: WriteCtx,
  uid: string,
  tokenHash: Buffer,
): Promise<void> {
  const { isJwt } = await deleteAuthToken(ctx.db, tokenHash)
  // Or the next call would sign it in again.
  if (isJwt) await forgetJwts(ctx, uid, tokenHash)
  await ctx.outbox.append('authTokens.revoked', { uid })
}

export async function revokeAuthTokens(ctx: WriteCtx, uid: string): Promise<void> {
  // Whoever signs in at this moment comes before it, and is ended, or after it, and is refused.
  await existingUids(ctx.db, [uid], { alone: true })
  await deleteAuthTokens(ctx.db, uid)
  await forgetJwts(ctx, uid)
  await ctx.outbox.append('authTokens.revoked', { uid })
}

/** Refuses this JWT from now on, or all of the user that were issued by now. */
export async function forgetJwts({ db, now }: WriteCtx, uid: string, tokenHash?: Buffer) {
  await insertJwtRevocation(db, { uid, tokenHash, now, keepUntil: now + oldestJwtSeconds })
}

async function accessToken(ctx: ReadCtx, uid: string, authToken: string): Promise<TokenRow> {
  await accessUser(ctx, uid)
  const row = await findAuthToken(ctx.db, hashOf(authToken, ctx), ctx.now)
  if (!row) throw new Failure('ERR_AUTH_TOKEN_NOT_FOUND')
  if (row.uid !== uid) throw new Failure('ERR_AUTHTOKEN_NOT_ACCESSIBLE')
  return row
}

function hashOf(authToken: string, ctx: ReadCtx): Buffer {
  return ctx.vault.hash(authToken, tokenPlace(ctx.db.appId))
}

function shown(row: TokenRow, { db, vault }: ReadCtx) {
  const place = placeIn(sealedColumns.authToken, db.appId, row.tokenHash)
  return shownToken(vault.open(row.tokenEncrypted, place), row)
}

function shownToken(authToken: string, { uid, createdAt, expiresAt }: TokenRow) {
  return { uid, authToken, createdAt, ...(expiresAt !== null && { expiresAt }) }
}
