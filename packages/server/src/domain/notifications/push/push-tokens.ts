import { createHash } from 'node:crypto'
import type { NewPushToken, PushToken, pushTokens } from '@chorale/contract/notifications'
import { objectionToUrl, type UrlRules } from '../../../egress/urls.ts'
import { badRequest, Failure } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx, WriteCtx } from '../../../pipeline/handler.ts'
import { mask } from '../../../vault/mask.ts'
import { placeIn, sealedColumns } from '../../../vault/sealed-columns.ts'
import { tokenPlace } from '../../apps/index.ts'
import { rememberTimezone } from '../settings/timezones.ts'
import {
  deletePushTokens,
  findSession,
  listPushTokens,
  type NewTokenRow,
  type SessionRow,
  type TokenFilter,
  type TokenRow,
  writePushToken,
} from './push-tokens.sql.ts'

export function pushTokenHandlers(rules: UrlRules): Handlers<typeof pushTokens> {
  return {
    async registerPushToken({ body }, ctx) {
      const session = await accessSession(ctx, body.authToken)
      const token = tokenOf(body)
      const objection = token.kind === 'web' && objectionToUrl(token.pushToken, rules)
      if (objection) throw badRequest('subscription.endpoint', objection)
      if (body.timezone) await rememberTimezone(ctx, session.uid, body.timezone)
      await writePushToken(ctx.db, { ...session, ...token }, ctx.now)
      return { data: { success: true, message: 'The device is registered.' } }
    },

    async listPushTokens({ query }, ctx) {
      const session = await accessSession(ctx, query.authToken)
      const rows = await listPushTokens(ctx.db, scopeOf(session, query.all))
      return { data: { pushTokens: rows.map((row) => shown(row, ctx)) } }
    },

    async deletePushTokens({ query, body }, ctx) {
      const session = await accessSession(ctx, body.authToken)
      return { data: { pushTokens: await take(ctx, scopeOf(session, query.all)) } }
    },

    async deletePushToken({ params, body }, ctx) {
      const { uid } = await accessSession(ctx, body.authToken)
      const taken = await take(ctx, { uid, pushTokenHash: hashOf(params.pushToken) })
      if (taken.length === 0) throw new Failure('ERR_PUSH_TOKEN_NOT_FOUND')
      return { data: { pushTokens: taken } }
    },
  }
}

/** Whoever acts may name their own sessions only; a device need not name the one it calls in. */
async function accessSession(ctx: ReadCtx, authToken: string | undefined): Promise<SessionRow> {
  const { actor, caller, db, vault } = ctx
  const own = caller.kind === 'device' ? caller.tokenHash : undefined
  const hash = authToken === undefined ? own : vault.hash(authToken, tokenPlace(db.appId))
  if (!hash) throw badRequest('authToken', 'This field is required.')
  const session = await findSession(db, hash, ctx.now)
  if (!session) throw new Failure('ERR_AUTH_TOKEN_NOT_FOUND')
  if (actor && actor.uid !== session.uid) throw new Failure('ERR_AUTHTOKEN_NOT_ACCESSIBLE')
  return session
}

function scopeOf({ uid, tokenHash }: SessionRow, all: boolean | undefined): TokenFilter {
  return all ? { uid } : { uid, tokenHash }
}

/** The platform says which of the fields holds the token. */
function tokenOf(body: NewPushToken): Omit<NewTokenRow, keyof SessionRow> {
  const { platform, providerId, subscription } = body
  const of = (kind: NewTokenRow['kind'], field: string, pushToken: string | undefined) => {
    if (pushToken === undefined) throw badRequest(field, `The platform ${platform} needs it.`)
    const type = field === 'voipToken' ? ('call' as const) : ('chat' as const)
    const keys = kind === 'web' ? subscription?.keys : undefined
    return { platform, providerId, kind, type, pushToken, pushTokenHash: hashOf(pushToken), keys }
  }
  if (platform === 'web') return of('web', 'subscription', subscription?.endpoint)
  if (platform.startsWith('fcm_')) return of('fcm', 'fcmToken', body.fcmToken)
  return platform.endsWith('_voip')
    ? of('apns', 'voipToken', body.voipToken)
    : of('apns', 'deviceToken', body.deviceToken)
}

function hashOf(pushToken: string): Buffer {
  return createHash('sha256').update(pushToken).digest()
}

async function take(ctx: WriteCtx, filter: TokenFilter): Promise<PushToken[]> {
  const rows = await listPushTokens(ctx.db, filter)
  await deletePushTokens(ctx.db, filter)
  return rows.map((row) => shown(row, ctx))
}

function shown(row: TokenRow, { caller, db, vault }: ReadCtx): PushToken {
  const { authTokenHash, authTokenEncrypted, type, providerId, createdAt, updatedAt, ...rest } = row
  const place = placeIn(sealedColumns.authToken, db.appId, authTokenHash)
  const authToken = vault.open(authTokenEncrypted, place)
  // One device of a user must not become another.
  const isHidden = caller.kind === 'device' && !caller.tokenHash.equals(authTokenHash)
  return {
    ...rest,
    authToken: isHidden ? mask(authToken) : authToken,
    providerId: providerId ?? '',
    pushTokenType: type,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
  }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
