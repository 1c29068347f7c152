import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { NewUser } from './users.sql.ts'

export interface UserFromElsewhere extends NewUser {
  readonly lastActiveAt?: number
  readonly deactivatedAt?: number
}

/** Those of them whose uid was free. */
export async function insertUsers(
  { appId, db }: AppDb,
  users: readonly UserFromElsewhere[],
): Promise<Set<string>> {
  if (users.length === 0) return new Set()
  const { rows } = await sql<{ uid: string }>`
    with fresh as (
      insert into users (app_id, uid, name, sort_name, avatar, link, role, status_message, metadata,
                         tags, created_at, deactivated_at)
      select ${appId}, u.uid, u.name, u.sort_name, u.avatar, u.link, u.role, u.status_message,
             u.metadata, u.tags, u.created_at, u.deactivated_at
      from jsonb_to_recordset(${jsonb(users.map(columnsOf))}) as u(
        uid text, name text, sort_name text, avatar text, link text, role text,
        status_message text, metadata jsonb, tags text[], created_at bigint,
        deactivated_at bigint, last_active_at bigint)
      order by u.uid
      on conflict (app_id, uid) do nothing
      returning uid)
    select uid from fresh`.execute(db)
  const fresh = new Set(rows.map(({ uid }) => uid))
  const active = users.filter(({ uid, lastActiveAt }) => fresh.has(uid) && lastActiveAt)
  if (active.length > 0) {
    await sql`
      insert into presence (app_id, uid, online, last_active_at)
      select ${appId}, p.uid, false, p.at
      from unnest(${active.map(({ uid }) => uid)}::text[],
                  ${active.map(({ lastActiveAt }) => lastActiveAt)}::bigint[]) as p(uid, at)
      order by p.uid`.execute(db)
  }
  return fresh
}

function columnsOf(user: UserFromElsewhere) {
  return {
    uid: user.uid,
    name: user.name,
    sort_name: user.sortName,
    avatar: user.avatar,
    link: user.link,
    role: user.role,
    status_message: user.statusMessage,
    metadata: user.metadata,
    tags: user.tags,
    created_at: user.createdAt,
    deactivated_at: user.deactivatedAt,
  }
}
