import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { RunRow } from './runs.sql.ts'

export interface Place extends ConversationKey {
  /** A guid, or two uids: what the walk goes by. */
  readonly one: string
  readonly other: string
  /** Nothing is left up to here. */
  readonly floor: number
  /** Entries from before this time are too old. */
  readonly before: number
  /** The first entry behind the floor is one. */
  readonly isDue: boolean
}

/** The next conversations that a rule is about. */
export async function nextPlaces(
  { appId, db }: AppDb,
  { phase, afterOne, afterOther, startedAt }: RunRow,
  days: number | undefined,
  most: number,
): Promise<Place[]> {
  // Where no rule is about the app, only conversations with one of their own are walked.
  const join = days === undefined ? sql`join` : sql`left join`
  const ofGroups = sql`
    select c.guid as one, '' as other, c.bucket, c.conversation_key, r.days from groups c
    ${join} retention_rules r on r.app_id = c.app_id and r.guid = c.guid
    where c.app_id = ${appId} and c.guid > ${afterOne} order by c.guid limit ${most}`
  const ofUsers = sql`
    select c.low_uid as one, c.high_uid as other, c.bucket, c.conversation_key, r.days
    from user_conversations c
    ${join} retention_rules r
      on r.app_id = c.app_id and r.low_uid = c.low_uid and r.high_uid = c.high_uid
    where c.app_id = ${appId} and (c.low_uid, c.high_uid) > (${afterOne}, ${afterOther})
    order by c.low_uid, c.high_uid limit ${most}`
  const { rows } = await sql<Place>`
    with page as materialized (${phase === 'groups' ? ofGroups : ofUsers})
    select p.one, p.other, p.bucket, p.conversation_key as key, coalesce(f.seq, 0) as floor,
           b.before, e.is_due is not null as "isDue"
    from page p
    left join retention_floors f on f.conversation_key = p.conversation_key
    cross join lateral (
      select ${startedAt}::bigint - coalesce(p.days, ${days ?? null}::bigint) * 86400 as before) b
    left join lateral (
      select true as is_due from entries e
      where e.bucket = p.bucket and e.conversation_key = p.conversation_key
        and e.seq = coalesce(f.seq, 0) + 1 and e.sent_at < b.before) e on true
    order by p.one, p.other`.execute(db)
  return rows
}

export async function raiseFloor(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seq: number,
): Promise<void> {
  await sql`
    insert into retention_floors as f (app_id, bucket, conversation_key, seq)
    values (${appId}, ${bucket}, ${key}, ${seq})
    on conflict (conversation_key) do update set seq = greatest(f.seq, excluded.seq)`.execute(db)
}

/** Of conversations that are gone. */
export async function deleteLostFloors({ appId, db }: AppDb): Promise<void> {
  await sql`
    delete from retention_floors f where f.app_id = ${appId} and not exists (
      select from conversations c where c.conversation_key = f.conversation_key)`.execute(db)
}
