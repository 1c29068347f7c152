import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { PageRequest } from '../../database/keyset.ts'

export interface TokenRow {
  readonly uid: string
  readonly tokenHash: Buffer
  readonly tokenEncrypted: Buffer
  readonly createdAt: number
  readonly expiresAt: number | null
}

const columns = sql`
  uid, token_hash as "tokenHash", token_encrypted as "tokenEncrypted", created_at as "createdAt",
  expires_at as "expiresAt"`

/** A JWT is nothing that the app has made, and could show. */
function valid(now: number) {
  return sql`issuer_id is null and (expires_at is null or expires_at > ${now})`
}

/** Inserts, and deletes what has expired and the oldest beyond `most`; whether there were any. */
export async function insertAuthToken(
  { appId, db }: AppDb,
  row: TokenRow,
  most: number,
): Promise<boolean> {
  await sql`
    insert into auth_tokens (app_id, token_hash, uid, token_encrypted, created_at, expires_at)
    values (${appId}, ${row.tokenHash}, ${row.uid}, ${row.tokenEncrypted}, ${row.createdAt},
            ${row.expiresAt})
  `.execute(db)
  const { numAffectedRows = 0n } = await sql`
    delete from auth_tokens where app_id = ${appId} and uid = ${row.uid}
      and ((expires_at <= ${row.createdAt} and issuer_id is null) or nth <= (
        select nth from auth_tokens where app_id = ${appId} and uid = ${row.uid}
        order by nth desc limit 1 offset ${most}))`.execute(db)
  return numAffectedRows > 0n
}

/** Those that are new; the uids of whose are not, because another user has them. */
export async function insertAuthTokens(
  { appId, db }: AppDb,
  rows: readonly TokenRow[],
): Promise<Set<string>> {
  const tokens = rows.map(({ tokenHash }) => tokenHash)
  const uids = rows.map(({ uid }) => uid)
  await sql`
    insert into auth_tokens (app_id, token_hash, uid, token_encrypted, created_at)
    select ${appId}, t.hash, t.uid, t.encrypted, t.at
    from unnest(${tokens}::bytea[], ${uids}::text[],
                ${rows.map(({ tokenEncrypted }) => tokenEncrypted)}::bytea[],
                ${rows.map(({ createdAt }) => createdAt)}::bigint[]) as t(hash, uid, encrypted, at)
    on conflict (app_id, token_hash) do nothing`.execute(db)
  const { rows: taken } = await sql<{ uid: string }>`
    select t.uid from unnest(${tokens}::bytea[], ${uids}::text[]) as t(hash, uid)
    join auth_tokens a on a.app_id = ${appId} and a.token_hash = t.hash and a.uid <> t.uid
  `.execute(db)
  return new Set(taken.map(({ uid }) => uid))
}

export async function findAuthToken({ appId, db }: AppDb, tokenHash: Buffer, now: number) {
  const { rows } = await sql<TokenRow>`
    select ${columns} from auth_tokens
    where app_id = ${appId} and token_hash = ${tokenHash} and ${valid(now)}`.execute(db)
  return rows[0]
}

export async function listAuthTokens(
  { appId, db }: AppDb,
  uid: string,
  { page, perPage }: PageRequest,
  now: number,
): Promise<TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select ${columns} from auth_tokens
    where app_id = ${appId} and uid = ${uid} and ${valid(now)}
    order by nth desc limit ${perPage} offset ${(page - 1) * perPage}`.execute(db)
  return rows
}

export async function countAuthTokens(
  { appId, db }: AppDb,
  uid: string,
  now: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from auth_tokens
    where app_id = ${appId} and uid = ${uid} and ${valid(now)}`.execute(db)
  return rows[0]?.n ?? 0
}

/** False when another device has it, also if that device was faster by a moment. */
export async function bindAuthToken(
  { appId, db }: AppDb,
  tokenHash: Buffer,
  device: { platform?: string; userAgent?: string; appInfo?: object },
): Promise<boolean> {
  const platform = device.platform ?? null
  const { numAffectedRows } = await sql`
    update auth_tokens
    set platform = ${platform}, user_agent = ${device.userAgent ?? null},
        app_info = ${jsonb(device.appInfo)}
    where app_id = ${appId} and token_hash = ${tokenHash}
      and (platform is null or platform = ${platform})`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteAuthToken(
  { appId, db }: AppDb,
  tokenHash: Buffer,
): Promise<{ readonly isJwt: boolean }> {
  const { rows } = await sql<{ isJwt: boolean }>`
    delete from auth_tokens where app_id = ${appId} and token_hash = ${tokenHash}
    returning issuer_id is not null as "isJwt"`.execute(db)
  return { isJwt: rows.some(({ isJwt }) => isJwt) }
}

export async function deleteAuthTokens({ appId, db }: AppDb, uid: string): Promise<void> {
  await sql`delete from auth_tokens where app_id = ${appId} and uid = ${uid}`.execute(db)
}
