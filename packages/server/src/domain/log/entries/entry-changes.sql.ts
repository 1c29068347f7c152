import { type RawBuilder, sql } from 'kysely'
import { type AppDb, json, jsonb } from '../../../database/app-db.ts'
import type { EntryFile, EntryRow, Extra, Verdict } from './entries.ts'

/** Which entry. */
export type Changed = Pick<EntryRow, 'bucket' | 'key' | 'seq'>

/** Every later change takes the conversation's next `change`, so that who was away can catch up. */
export async function change(
  { appId, db }: AppDb,
  { bucket, key, seq }: Changed,
  assignments: RawBuilder<unknown>,
  now: number,
): Promise<void> {
  await sql`
    with moved as (
      update conversations set change = change + 1
      where bucket = ${bucket} and conversation_key = ${key} returning change)
    update entries e
    set ${assignments}, updated_at = ${now}, change = moved.change
    from moved
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
}

export async function editEntry(
  db: AppDb,
  entry: Changed,
  to: { data: object | undefined; extra: object; verdict: Verdict | undefined },
  now: number,
): Promise<void> {
  const data = to.data === undefined ? sql`e.data` : json(to.data)
  const edited = sql`
    data = ${data}, extra = ${jsonb(to.extra)},
    verdict = coalesce(${jsonb(to.verdict)}, e.verdict), edited_at = ${now}`
  await change(db, entry, edited, now)
}

/** Changes what is stored beside an entry, for all who see it; also its data, where that is no edit. */
export async function updateExtra(
  db: AppDb,
  entry: Changed,
  extra: Extra,
  now: number,
  data?: object,
): Promise<void> {
  const said = data ? sql`, data = ${json(data)}` : sql``
  await change(db, entry, sql`extra = ${jsonb(extra)} ${said}`, now)
}

/** What is known of a file that it names; also of one that is withheld. */
export async function setFileInEntry(
  db: AppDb,
  entry: Changed,
  { id, ...known }: Pick<EntryFile, 'id' | 'state' | 'about'>,
  now: number,
): Promise<void> {
  const settled = (files: RawBuilder<unknown>) => sql`(
    select jsonb_agg(case when f ->> 'id' = ${id}
                     then (f - 'state' - 'about') || ${jsonb(known)} else f end)
    from jsonb_array_elements(${files}) f)`
  const open = sql`e.extra -> 'files'`
  const sealed = sql`e.verdict #> '{sealed,extra,files}'`
  const told = sql`
    extra = case when ${open} is null then e.extra
            else jsonb_set(e.extra, '{files}', ${settled(open)}) end,
    verdict = case when ${sealed} is null then e.verdict
              else jsonb_set(e.verdict, '{sealed,extra,files}', ${settled(sealed)}) end`
  await change(db, entry, told, now)
}

/** `forever` also empties it; its row stays, because the log has no holes. */
export async function withdrawEntry(
  db: AppDb,
  entry: Changed,
  how: { extra: object; forever: boolean },
  now: number,
): Promise<void> {
  const emptied = how.forever ? sql`, data = '{}', erased = true` : sql``
  const withdrawn = sql`deleted_at = ${now}, extra = ${jsonb(how.extra)} ${emptied}`
  await change(db, entry, withdrawn, now)
}

/** What it says goes out of reach of everyone but its sender; its row stays. */
export async function hideEntry(
  db: AppDb,
  entry: Changed,
  to: { readonly verdict: Verdict; readonly data: object; readonly extra: object },
  now: number,
): Promise<void> {
  const hidden = sql`
    verdict = ${jsonb(to.verdict)} || jsonb_build_object('sealed', jsonb_build_object(
      'data', ${jsonb(to.data)}, 'extra', ${jsonb(to.extra)},
      'counts', e.counts, 'shows', true)),
    data = '{}', extra = null, erased = true, deleted_at = ${now}`
  await change(db, entry, hidden, now)
}

/** What is hidden stays so, for another reason. */
export async function keepHidden(
  db: AppDb,
  entry: Changed,
  to: { readonly verdict: Verdict; readonly moderation: object },
  now: number,
): Promise<void> {
  const kept = sql`
    verdict = ${jsonb(to.verdict)} || jsonb_build_object('sealed',
      jsonb_set(e.verdict -> 'sealed', '{data,moderation}', ${jsonb(to.moderation)}))`
  await change(db, entry, kept, now)
}

/** It is said elsewhere, perhaps under its `muid`: here even its sender does not see it any more. */
export async function dropHidden(
  db: AppDb,
  entry: Changed,
  withMuid: boolean,
  now: number,
): Promise<void> {
  const dropped = sql`
    verdict = e.verdict - 'sealed', muid = case when ${withMuid} then null else e.muid end`
  await change(db, entry, dropped, now)
}
