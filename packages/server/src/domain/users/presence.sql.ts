import { sql } from 'kysely'
import type { InstallDb } from '../../database/app-db.ts'

interface UserName {
  readonly appId: string
  readonly uid: string
}

export interface PresenceRow extends UserName {
  readonly role: string
  readonly online: boolean
}

const databaseTime = sql`extract(epoch from clock_timestamp())::bigint`

/** False: there was no such lease, and now there is. */
export async function renewLease({ db }: InstallDb, gatewayId: string): Promise<boolean> {
  const { rows } = await sql<{ made: boolean }>`
    insert into gateway_leases (gateway_id, renewed_at) values (${gatewayId}, ${databaseTime})
    on conflict (gateway_id) do update set renewed_at = excluded.renewed_at
    returning xmax = 0 as made`.execute(db)
  return rows[0]?.made === false
}

export async function hasExpired({ db }: InstallDb, leaseSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    select from gateway_leases where renewed_at < ${databaseTime} - ${leaseSeconds} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** Gateways that have not renewed in time, those aside that another one sweeps right now. */
export async function findExpired({ db }: InstallDb, leaseSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select gateway_id as id from gateway_leases
    where renewed_at < ${databaseTime} - ${leaseSeconds}
    for update skip locked`.execute(db)
  return rows.map(({ id }) => id)
}

export async function usersOf(
  { db }: InstallDb,
  gatewayIds: readonly string[],
): Promise<UserName[]> {
  const { rows } = await sql<UserName>`
    select distinct app_id as "appId", uid from presence_leases
    where gateway_id = any(${gatewayIds}::uuid[])`.execute(db)
  return rows
}

/** Takes what they hold with it. */
export async function deleteLeases(
  { db }: InstallDb,
  gatewayIds: readonly string[],
): Promise<void> {
  await sql`delete from gateway_leases where gateway_id = any(${gatewayIds}::uuid[])`.execute(db)
}

/** Locks what is known of these users, made if need be, in one order. */
export async function lockPresence(
  { db }: InstallDb,
  users: readonly UserName[],
  now: number,
): Promise<void> {
  await sql`
    insert into presence (app_id, uid, online, last_active_at)
    select u.app_id, u.uid, false, ${now} from ${named(users)}
    join users u on u.app_id = w.app_id and u.uid = w.uid
    order by u.app_id, u.uid
    on conflict do nothing`.execute(db)
  await sql`
    select from presence p join ${named(users)} on p.app_id = w.app_id and p.uid = w.uid
    order by p.app_id, p.uid for no key update of p`.execute(db)
}

export async function insertHeld(
  { db }: InstallDb,
  gatewayId: string,
  users: readonly UserName[],
): Promise<void> {
  await sql`
    insert into presence_leases (app_id, uid, gateway_id)
    select p.app_id, p.uid, ${gatewayId} from ${named(users)}
    join presence p on p.app_id = w.app_id and p.uid = w.uid
    on conflict do nothing`.execute(db)
}

export async function deleteHeld(
  { db }: InstallDb,
  gatewayId: string,
  users: readonly UserName[],
): Promise<void> {
  await sql`
    delete from presence_leases l using ${named(users)}
    where l.app_id = w.app_id and l.uid = w.uid and l.gateway_id = ${gatewayId}`.execute(db)
}

/** Online is who is held by a gateway. Returns those for whom that has changed. */
export async function settlePresence(
  { db }: InstallDb,
  users: readonly UserName[],
  now: number,
): Promise<PresenceRow[]> {
  const { rows } = await sql<PresenceRow>`
    update presence p set online = h.held, last_active_at = ${now}
    from ${named(users)}
    join users u on u.app_id = w.app_id and u.uid = w.uid
    cross join lateral (
      select exists (select from presence_leases l
                     where l.app_id = w.app_id and l.uid = w.uid) as held) h
    where p.app_id = w.app_id and p.uid = w.uid and p.online <> h.held
    returning p.app_id as "appId", p.uid, p.online, u.role`.execute(db)
  return rows
}

/** Of these apps, those with more users online than `most`. */
export async function crowdedAmong(
  { db }: InstallDb,
  appIds: readonly string[],
  most: number,
): Promise<Set<string>> {
  const { rows } = await sql<{ appId: string }>`
    select w.app_id as "appId" from unnest(${appIds}::text[]) as w(app_id)
    where (select count(*) from (
             select from presence p where p.app_id = w.app_id and p.online
             limit ${most + 1}) as online) > ${most}`.execute(db)
  return new Set(rows.map(({ appId }) => appId))
}

function named(users: readonly UserName[]) {
  return sql`
    unnest(${users.map(({ appId }) => appId)}::text[], ${users.map(({ uid }) => uid)}::text[])
      as w(app_id, uid)`
}
