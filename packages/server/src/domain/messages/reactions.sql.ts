import { sql } from 'kysely'
import { type AppDb, allOf } from '../../database/app-db.ts'
import { nextId } from '../../database/buckets.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { within } from './history/windows.sql.ts'
import type { Place } from './history/windows.ts'

export interface ReactionRow {
  readonly id: number
  readonly reaction: string
  readonly uid: string
  readonly reactedAt: number
}

/** Undefined: it was there already. */
export async function insertReaction(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  { uid, reaction }: { uid: string; reaction: string },
  now: number,
): Promise<ReactionRow | undefined> {
  const { rows } = await sql<ReactionRow>`
    insert into reactions
      (bucket, conversation_key, uid, seq, reaction, id, reacted_at, app_id)
    values (${bucket}, ${key}, ${uid}, ${seq}, ${reaction},
            ${nextId(bucket)}, ${now}, ${appId})
    on conflict do nothing
    returning id, reaction, uid, reacted_at as "reactedAt"`.execute(db)
  return rows[0]
}

/** Undefined: there was none. */
export async function deleteReaction(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  { uid, reaction }: { uid: string; reaction: string },
): Promise<ReactionRow | undefined> {
  const { rows } = await sql<ReactionRow>`
    delete from reactions
    where bucket = ${bucket} and conversation_key = ${key} and uid = ${uid} and seq = ${seq}
      and reaction = ${reaction} and app_id = ${appId}
    returning id, reaction, uid, reacted_at as "reactedAt"`.execute(db)
  return rows[0]
}

/** Which those were. */
export async function deleteReactionsBy(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  uid: string,
): Promise<string[]> {
  const { rows } = await sql<{ reaction: string }>`
    delete from reactions
    where bucket = ${bucket} and conversation_key = ${key} and uid = ${uid} and seq = ${seq}
      and app_id = ${appId}
    returning reaction`.execute(db)
  return rows.map(({ reaction }) => reaction)
}

export interface ReactionFilter {
  readonly reaction: string | undefined
  /** Only of members of this group who have one of these scopes. */
  readonly by: { readonly guid: string; readonly scopes: readonly string[] } | undefined
}

export async function listReactions(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  { reaction, by }: ReactionFilter,
  place: Place,
): Promise<ReactionRow[]> {
  const window = within(sql`r.id`, place)
  const wanted = allOf([
    sql`r.bucket = ${bucket} and r.conversation_key = ${key} and r.seq = ${seq}`,
    sql`r.app_id = ${appId}`,
    reaction === undefined ? undefined : sql`r.reaction = ${reaction}`,
    by &&
      sql`exists (select from group_members m where m.app_id = r.app_id and m.guid = ${by.guid}
                  and m.uid = r.uid and m.scope = any(${by.scopes}))`,
    window.is,
  ])
  const { rows } = await sql<ReactionRow>`
    select r.id, r.reaction, r.uid, r.reacted_at as "reactedAt" from reactions r
    where ${wanted} ${window.walk}`.execute(db)
  return rows
}
