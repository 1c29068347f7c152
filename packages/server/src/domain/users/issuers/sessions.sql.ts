import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'

export interface JwtSession {
  readonly uid: string
  readonly tokenHash: Buffer
  /** Says which token it was, to whoever looks for one; opens nothing. */
  readonly tokenEncrypted: Buffer
  readonly createdAt: number
  readonly expiresAt: number
  readonly issuerId: string
  readonly issuerVersion: number
}

/** Whether tokens had to give way that were still valid. */
export async function insertJwtSession(
  { appId, db }: AppDb,
  row: JwtSession,
  most: number,
): Promise<boolean> {
  await sql`
    insert into auth_tokens (app_id, token_hash, uid, token_encrypted, created_at, expires_at,
      issuer_id, issuer_version)
    values (${appId}, ${row.tokenHash}, ${row.uid}, ${row.tokenEncrypted}, ${row.createdAt},
      ${row.expiresAt}, ${row.issuerId}, ${row.issuerVersion})
    on conflict (app_id, token_hash) do update
    set uid = excluded.uid, expires_at = excluded.expires_at, issuer_id = excluded.issuer_id,
        issuer_version = excluded.issuer_version`.execute(db)
  // A device that expects push notifications is reached by the session in which it said so.
  const { rows } = await sql<{ expiresAt: number | null }>`
    delete from auth_tokens a where a.app_id = ${appId} and a.uid = ${row.uid}
      and ((a.expires_at <= ${row.createdAt} and not exists (
              select from push_tokens p where p.app_id = a.app_id and p.token_hash = a.token_hash))
        or a.nth <= (select nth from auth_tokens where app_id = ${appId} and uid = ${row.uid}
                     order by nth desc limit 1 offset ${most}))
    returning a.expires_at as "expiresAt"`.execute(db)
  return rows.some(({ expiresAt }) => expiresAt === null || expiresAt > row.createdAt)
}

/** Stands for all JWTs of a user, in place of the hash of one. */
const everyToken = Buffer.alloc(0)

export async function isJwtRevoked(
  { appId, db }: AppDb,
  { uid, tokenHash, issuedAt }: { uid: string; tokenHash: Buffer; issuedAt: number },
): Promise<boolean> {
  const { rows } = await sql`
    select from jwt_revocations
    where app_id = ${appId} and uid = ${uid}
      and (token_hash = ${tokenHash}
        or (token_hash = ${everyToken} and revoked_at >= ${issuedAt}))`.execute(db)
  return rows.length > 0
}

interface Revocation {
  readonly uid: string
  /** Undefined: every JWT of the user that was issued by now. */
  readonly tokenHash: Buffer | undefined
  readonly now: number
  readonly keepUntil: number
}

/** In an app that trusts no issuer there is nothing to remember. */
export async function insertJwtRevocation({ appId, db }: AppDb, row: Revocation): Promise<void> {
  await sql`
    insert into jwt_revocations (app_id, uid, token_hash, revoked_at, keep_until)
    select ${appId}::text, ${row.uid}::text, ${row.tokenHash ?? everyToken}::bytea, ${row.now}::bigint,
           ${row.keepUntil}::bigint
    where exists (select from issuers where app_id = ${appId})
    on conflict (app_id, uid, token_hash) do update
    set revoked_at = excluded.revoked_at, keep_until = excluded.keep_until`.execute(db)
  await sql`
    delete from jwt_revocations where app_id = ${appId} and keep_until < ${row.now}`.execute(db)
}
