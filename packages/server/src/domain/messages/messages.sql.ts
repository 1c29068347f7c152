import { type RawBuilder, sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import {
  type ConversationKey,
  type Entry,
  type EntryRow,
  type Extra,
  entryColumns,
  type Receiver,
  type Verdict,
} from '../conversations/index.ts'

export interface FoundRow extends EntryRow {
  readonly guid: string | null
  readonly uid: string | null
  readonly withUid: string | null
}

/** The group or the two users of an entry's conversation. */
export const sides = sql`
  left join groups g on g.bucket = e.bucket and g.conversation_key = e.conversation_key
  left join lateral (
    select p.uid, p.with_uid from participants p
    where g.guid is null and p.bucket = e.bucket and p.conversation_key = e.conversation_key
    limit 1) p on true`

/** Needs the tables `e` and those of `sides`. */
export const foundColumns = sql`${entryColumns}, g.guid, p.uid, p.with_uid as "withUid"`

/** Holds the conversation of an entry: nothing in it changes until the end. */
export async function lockConversationOf({ appId, db }: AppDb, id: number): Promise<void> {
  await sql`
    select from entries e
    join conversations c on c.bucket = e.bucket and c.conversation_key = e.conversation_key
    where e.bucket = ${id % 64} and e.id = ${id} and e.app_id = ${appId}
    for no key update of c`.execute(db)
}

/** The id alone says in which bucket the entry lives. */
export async function findMessage(
  { appId, db }: AppDb,
  id: number,
  lock: boolean,
  /** Whose withheld messages are found, too. */
  own?: string,
): Promise<Entry | undefined> {
  const { rows } = await sql<FoundRow>`
    select ${foundColumns} from entries e
    join conversations c on c.bucket = e.bucket and c.conversation_key = e.conversation_key
    ${sides}
    where e.bucket = ${id % 64} and e.id = ${id} and e.app_id = ${appId}
      and (not e.erased or (e.sender = ${own ?? null} and e.verdict ? 'sealed'))
    ${lock ? sql`for no key update of e` : sql``}`.execute(db)
  return rows[0] && asFound(rows[0])
}

export function asFound({ guid, uid, withUid, ...row }: FoundRow): Entry {
  const receiver: Receiver =
    guid === null ? { kind: 'user', uids: [uid ?? '', withUid ?? ''] } : { kind: 'group', guid }
  return { row, receiver }
}

/** Every later change takes the conversation's next `change`, so that who was away can catch up. */
function moved({ bucket, key }: ConversationKey): RawBuilder<unknown> {
  return sql`
    moved as (
      update conversations set change = change + 1
      where bucket = ${bucket} and conversation_key = ${key} returning change)`
}

/** What it said before is kept. */
export async function updateMessage(
  { appId, db }: AppDb,
  { row: { bucket, key, seq } }: Entry,
  changes: { data: object | undefined; extra: object; verdict: Verdict | undefined },
  now: number,
): Promise<void> {
  const data = changes.data === undefined ? sql`e.data` : jsonb(changes.data)
  await sql`
    with ${moved({ bucket, key })},
    kept as (
      insert into entry_edits (bucket, conversation_key, seq, edited_at, data, app_id)
      select bucket, conversation_key, seq, ${now}, data, app_id from entries
      where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq}
        and app_id = ${appId})
    update entries e
    set data = ${data}, extra = ${jsonb(changes.extra)}, 
        verdict = coalesce(${jsonb(changes.verdict)}, e.verdict), edited_at = ${now}, updated_at = ${now},
        change = moved.change
    from moved
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
}

/** Changes what stands beside a message, for all who see it. */
export async function updateExtra(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  extra: Extra,
  now: number,
): Promise<void> {
  await sql`
    with ${moved({ bucket, key })}
    update entries e
    set extra = ${jsonb(extra)}, updated_at = ${now}, change = moved.change
    from moved
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
}

/** `forever` also empties it; its place stays, because the log has no holes. */
export async function withdrawMessage(
  { appId, db }: AppDb,
  { row: { bucket, key, seq } }: Entry,
  how: { extra: object; forever: boolean },
  now: number,
): Promise<void> {
  const emptied = how.forever ? sql`, data = '{}', erased = true` : sql``
  await sql`
    with ${moved({ bucket, key })}
    update entries e
    set deleted_at = ${now}, extra = ${jsonb(how.extra)}, updated_at = ${now},
        change = moved.change ${emptied}
    from moved
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
}

/** What it says goes out of reach of everyone but its sender; its place stays. */
export async function sealMessage(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  to: { readonly verdict: Verdict; readonly data: object; readonly extra: object },
  now: number,
): Promise<void> {
  await sql`
    with ${moved({ bucket, key })}
    update entries e
    set verdict = ${jsonb(to.verdict)} || jsonb_build_object('sealed', jsonb_build_object(
          'data', ${jsonb(to.data)}, 'extra', ${jsonb(to.extra)},
          'counts', e.counts, 'shows', true)),
        data = '{}', extra = null, erased = true, deleted_at = ${now}, updated_at = ${now},
        change = moved.change
    from moved
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
}

/** What is withheld stays so, for another reason. */
export async function resealMessage(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  to: { readonly verdict: Verdict; readonly moderation: object },
  now: number,
): Promise<void> {
  await sql`
    with ${moved({ bucket, key })}
    update entries e
    set verdict = ${jsonb(to.verdict)} || jsonb_build_object('sealed',
          jsonb_set(e.verdict -> 'sealed', '{data,moderation}', ${jsonb(to.moderation)})),
        updated_at = ${now}, change = moved.change
    from moved
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
}

/** It is said elsewhere, perhaps under its `muid`: here even its sender does not see it any more. */
export async function unsealMessage(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
  withMuid: boolean,
  now: number,
): Promise<void> {
  await sql`
    with ${moved({ bucket, key })}
    update entries e
    set verdict = e.verdict - 'sealed', updated_at = ${now}, change = moved.change,
        muid = case when ${withMuid} then null else e.muid end
    from moved
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
}

/** What people left on a message that is deleted for ever, and what it said before. */
const traces = [
  'entry_edits',
  'threads',
  'thread_subscriptions',
  'reactions',
  'interactions',
  'pins',
  'saves',
] as const

export async function deleteTraces(
  { appId, db }: AppDb,
  { bucket, key, seq }: EntryRow,
): Promise<void> {
  for (const table of traces) {
    await sql`
      delete from ${sql.table(table)}
      where bucket = ${bucket} and conversation_key = ${key} and seq = ${seq}
        and app_id = ${appId}`.execute(db)
  }
}
