import type { PushToken } from '@chorale/contract/notifications'
import { type RawBuilder, sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'

type TokenKind = 'fcm' | 'apns' | 'web'

export interface SessionRow {
  readonly tokenHash: Buffer
  readonly uid: string
}

export async function findSession({ appId, db }: AppDb, tokenHash: Buffer, now: number) {
  const { rows } = await sql<SessionRow>`
    select token_hash as "tokenHash", uid from auth_tokens
    where app_id = ${appId} and token_hash = ${tokenHash}
      and (expires_at is null or expires_at > ${now})`.execute(db)
  return rows[0]
}

export interface NewTokenRow extends SessionRow {
  readonly type: PushToken['pushTokenType']
  readonly kind: TokenKind
  readonly platform: PushToken['platform']
  readonly providerId: string | undefined
  readonly pushToken: string
  readonly pushTokenHash: Buffer
  readonly keys: object | undefined
}

/** Takes the place of the session's own, and away from any other session that had it. */
export async function writePushToken({ appId, db }: AppDb, row: NewTokenRow, now: number) {
  // Two sessions of one device, one after the other.
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${appId} || encode(${row.pushTokenHash}, 'hex'), 0))
  `.execute(db)
  await sql`
    delete from push_tokens where app_id = ${appId} and push_token_hash = ${row.pushTokenHash}
      and not (token_hash = ${row.tokenHash} and type = ${row.type})`.execute(db)
  await sql`
    insert into push_tokens (app_id, token_hash, type, uid, kind, platform, provider_id, push_token,
      push_token_hash, keys, created_at, updated_at)
    values (${appId}, ${row.tokenHash}, ${row.type}, ${row.uid}, ${row.kind}, ${row.platform},
      ${row.providerId ?? null}, ${row.pushToken}, ${row.pushTokenHash}, ${jsonb(row.keys)},
      ${now}, ${now})
    on conflict (app_id, token_hash, type) do update
    set kind = excluded.kind, platform = excluded.platform, provider_id = excluded.provider_id,
        push_token = excluded.push_token, push_token_hash = excluded.push_token_hash,
        keys = excluded.keys, gone_at = null, updated_at = excluded.updated_at`.execute(db)
}

/** Which tokens of a user: of one session, or one token, or all. */
export interface TokenFilter {
  readonly uid: string
  readonly tokenHash?: Buffer
  readonly pushTokenHash?: Buffer
}

function matching(appId: string, { uid, tokenHash, pushTokenHash }: TokenFilter) {
  return sql`t.app_id = ${appId} and t.uid = ${uid}
    ${only(sql`t.token_hash`, tokenHash)} ${only(sql`t.push_token_hash`, pushTokenHash)}`
}

function only(column: RawBuilder<unknown>, value: Buffer | undefined) {
  return value ? sql`and ${column} = ${value}` : sql``
}

const withDefault = sql`
  left join notification_providers d on d.app_id = t.app_id and d.channel = 'push'
    and d.kind = t.kind and d.is_default`

export interface TokenRow {
  readonly authTokenHash: Buffer
  readonly authTokenEncrypted: Buffer
  readonly uid: string
  readonly platform: PushToken['platform']
  readonly providerId: string | null
  readonly pushToken: string
  readonly type: PushToken['pushTokenType']
  readonly createdAt: number
  readonly updatedAt: number
}

export async function listPushTokens({ appId, db }: AppDb, filter: TokenFilter) {
  const { rows } = await sql<TokenRow>`
    select a.token_hash as "authTokenHash", a.token_encrypted as "authTokenEncrypted", t.uid, t.platform, t.type,
      coalesce(t.provider_id, d.provider_id) as "providerId", t.push_token as "pushToken",
      t.created_at as "createdAt", t.updated_at as "updatedAt"
    from push_tokens t join auth_tokens a using (app_id, token_hash) ${withDefault}
    where ${matching(appId, filter)} and t.gone_at is null
    order by t.created_at, t.push_token`.execute(db)
  return rows
}

export async function deletePushTokens({ appId, db }: AppDb, filter: TokenFilter): Promise<void> {
  await sql`delete from push_tokens t where ${matching(appId, filter)}`.execute(db)
}

export interface ActiveToken {
  readonly uid: string
  readonly type: PushToken['pushTokenType']
  readonly kind: TokenKind
  readonly platform: PushToken['platform']
  readonly pushToken: string
  readonly pushTokenHash: Buffer
  readonly keys: object | null
  /** Null where no default is set. */
  readonly providerId: string | null
  /** False: its provider was deleted or switched off, or never there. */
  readonly hasProvider: boolean
}

/** JWTs end within the hour: their devices are reached until they log out, or register anew. */
const isOfIssuer = sql`exists (
  select from issuers i where i.app_id = a.app_id and i.issuer_id = a.issuer_id)`

/** Where these users are to be reached. */
export async function activePushTokens({ appId, db }: AppDb, uids: readonly string[], now: number) {
  const { rows } = await sql<ActiveToken>`
    select t.uid, t.type, t.kind, t.platform, t.push_token as "pushToken",
      t.push_token_hash as "pushTokenHash", t.keys,
      coalesce(t.provider_id, d.provider_id) as "providerId",
      p.provider_id is not null as "hasProvider"
    from push_tokens t join auth_tokens a using (app_id, token_hash) ${withDefault}
    left join notification_providers p on p.app_id = t.app_id and p.channel = 'push'
      and p.kind = t.kind and p.provider_id = coalesce(t.provider_id, d.provider_id)
      and p.is_enabled
    where t.app_id = ${appId} and t.uid = any(${uids}) and t.gone_at is null
      and (a.expires_at is null or a.expires_at > ${now} or ${isOfIssuer})
    order by t.uid, t.created_at, t.push_token`.execute(db)
  return rows
}

/** `asOf`: when it was tried. A device that has registered since is there again. */
export async function markTokenGone(
  { appId, db }: AppDb,
  pushTokenHash: Buffer,
  { asOf, now }: { readonly asOf: number; readonly now: number },
): Promise<void> {
  await sql`
    update push_tokens set gone_at = ${now}
    where app_id = ${appId} and push_token_hash = ${pushTokenHash} and updated_at <= ${asOf}
  `.execute(db)
}

/** Devices for messages that the provider has not said to be gone, the last first. */
export async function listTokensOf(
  { appId, db }: AppDb,
  uid: string,
  kind: TokenKind,
  limit: number,
): Promise<{ readonly platform: string; readonly pushToken: string }[]> {
  const { rows } = await sql<{ platform: string; pushToken: string }>`
    select platform, push_token as "pushToken" from push_tokens
    where app_id = ${appId} and uid = ${uid} and kind = ${kind} and type = 'chat'
      and gone_at is null
    order by updated_at desc, push_token limit ${limit}`.execute(db)
  return rows
}
