import type { CollaboratorRole } from '@chorale/contract/apps'
import { sql } from 'kysely'
import type { InstallDb } from '../../../database/app-db.ts'

export interface SessionRow {
  readonly sessionId: string
  readonly method: 'password' | 'oidc'
  readonly createdAt: number
  readonly lastUsedAt: number
  readonly expiresAt: number
  readonly address: string
  readonly userAgent: string
}

export interface SessionAndPerson extends SessionRow {
  readonly collaboratorId: number
  readonly email: string
  readonly name: string
  readonly role: CollaboratorRole | null
  /** By app id. */
  readonly roles: Readonly<Record<string, CollaboratorRole>>
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
}

const columns = sql`
  s.session_id as "sessionId", s.method, s.created_at as "createdAt",
  s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt", s.address,
  s.user_agent as "userAgent"`

/** With whose it is, and their roles: one statement. */
export async function findSession(
  { db }: InstallDb,
  hash: Buffer,
): Promise<SessionAndPerson | undefined> {
  const { rows } = await sql<SessionAndPerson>`
    select ${columns}, c.collaborator_id as "collaboratorId", c.email, c.name, c.role,
           c.password_hash is not null as "hasPassword",
           c.totp_confirmed_at is not null as "hasSecondFactor",
           coalesce((select jsonb_object_agg(a.app_id, a.role) from app_collaborators a
                     where a.collaborator_id = c.collaborator_id), '{}') as roles
    from collaborator_sessions s join collaborators c using (collaborator_id)
    where s.session_hash = ${hash}`.execute(db)
  return rows[0]
}

export async function insertSession(
  { db }: InstallDb,
  hash: Buffer,
  collaboratorId: number,
  row: Omit<SessionRow, 'lastUsedAt'>,
): Promise<void> {
  await sql`
    insert into collaborator_sessions (session_hash, session_id, collaborator_id, method,
      created_at, last_used_at, expires_at, address, user_agent)
    values (${hash}, ${row.sessionId}, ${collaboratorId}, ${row.method}, ${row.createdAt},
            ${row.createdAt}, ${row.expiresAt}, ${row.address}, ${row.userAgent})`.execute(db)
}

/** Of calls at the same time one writes. */
export async function noteSessionUse(
  { db }: InstallDb,
  hash: Buffer,
  now: number,
  olderThan: number,
): Promise<void> {
  await sql`
    update collaborator_sessions set last_used_at = ${now}
    where session_hash = ${hash} and last_used_at < ${olderThan}`.execute(db)
}

/** Those that are in force, the latest first. */
export async function listSessionsOf(
  { db }: InstallDb,
  collaboratorId: number,
  { now, usedSince }: { readonly now: number; readonly usedSince: number },
): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select ${columns} from collaborator_sessions s
    where collaborator_id = ${collaboratorId} and expires_at > ${now}
      and last_used_at >= ${usedSince}
    order by created_at desc, session_id limit 100`.execute(db)
  return rows
}

/** `but`: this one stays. Returns how many. */
export async function deleteSessions(
  { db }: InstallDb,
  collaboratorId: number,
  which: { readonly sessionId: string } | { readonly but: string } | 'all',
): Promise<number> {
  const match =
    which === 'all'
      ? sql`true`
      : 'but' in which
        ? sql`session_id <> ${which.but}`
        : sql`session_id = ${which.sessionId}`
  const { numAffectedRows = 0n } = await sql`
    delete from collaborator_sessions
    where collaborator_id = ${collaboratorId} and ${match}`.execute(db)
  return Number(numAffectedRows)
}

export async function deleteSessionOf({ db }: InstallDb, hash: Buffer): Promise<void> {
  await sql`delete from collaborator_sessions where session_hash = ${hash}`.execute(db)
}

/** Some of those whose time is over. */
export async function clearSessions({ db }: InstallDb, now: number): Promise<void> {
  await sql`
    delete from collaborator_sessions where session_hash in (
      select session_hash from collaborator_sessions where expires_at <= ${now} limit 100
      for update skip locked)`.execute(db)
}

/** Names of the apps that are not archived. */
export async function namesOfApps(
  { db }: InstallDb,
  appIds: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select app_id as id, name from apps
    where app_id = any(${appIds}::text[]) and archived_at is null
    order by name, app_id`.execute(db)
  return rows
}
