import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { Weight } from './engine/weight.ts'

/** What an app looks for, and what it keeps. */
export interface Load {
  /** Of rules that are enabled: a list counts once for each condition that refers to it. */
  readonly inForce: Weight
  /** Of all rules and lists, in use or not. */
  readonly storedBytes: number
}

const sums = sql`
  coalesce(sum((weight ->> 'words')::bigint), 0)::float8 as words,
  coalesce(sum((weight ->> 'bytes')::bigint), 0)::float8 as bytes,
  coalesce(sum((weight ->> 'patterns')::bigint), 0)::float8 as patterns,
  coalesce(sum((weight ->> 'work')::bigint), 0)::float8 as work`

export async function weighApp(
  { appId, db }: AppDb,
  /** Of the lists that every app has, by id. */
  defaults: Readonly<Record<string, Weight>>,
): Promise<Load> {
  const { rows } = await sql<Weight & { storedBytes: number }>`
    with rules as (
      select enabled, conditions, weight from moderation_rules where app_id = ${appId} and active
    ), lists as (
      select list_id, weight from moderation_keyword_lists where app_id = ${appId} and active
    ), weights as (
      select weight from rules where enabled
      union all
      select coalesce(l.weight, ${jsonb(defaults)}::jsonb -> id.value)
      from rules
      cross join jsonb_array_elements(conditions) as c(condition)
      cross join jsonb_array_elements_text(c.condition -> 'value') as id(value)
      left join lists l on l.list_id = id.value
      where enabled and (c.condition ->> 'isKeywordsReferencePresent')::boolean
    )
    select ${sums},
           (select coalesce(sum((weight ->> 'bytes')::bigint), 0)::float8
            from (select weight from rules union all select weight from lists) s) as "storedBytes"
    from weights`.execute(db)
  const [row] = rows
  if (!row) throw new Error('Sums are one row.')
  const { storedBytes, ...inForce } = row
  return { inForce, storedBytes }
}

/** Of an app, those that are no more in force: so many, the newest, and so many bytes of terms. */
export interface RevisionQuota {
  readonly rows: number
  readonly bytes: number
}

export async function forgetRuleRevisions({ appId, db }: AppDb, quota: RevisionQuota) {
  await sql`
    delete from moderation_rules r using (
      select rule_id, revision, row_number() over newest as place,
             sum((weight ->> 'bytes')::bigint) over newest as bytes
      from moderation_rules where app_id = ${appId} and not active
      window newest as (order by updated_at desc, revision desc, rule_id)) old
    where r.app_id = ${appId} and r.rule_id = old.rule_id and r.revision = old.revision
      and (old.place > ${quota.rows} or old.bytes > ${quota.bytes})`.execute(db)
}

/** A dry run that is under way keeps its revisions; classifiers have no terms, so only their number counts. */
export async function forgetListRevisions({ appId, db }: AppDb, quota: RevisionQuota) {
  await sql`
    delete from moderation_keyword_lists l using (
      select list_id, revision, row_number() over newest as place,
             sum((weight ->> 'bytes')::bigint) over newest as bytes
      from moderation_keyword_lists where app_id = ${appId} and not active
      window newest as (order by updated_at desc, revision desc, list_id)) old
    where l.app_id = ${appId} and l.list_id = old.list_id and l.revision = old.revision
      and (old.place > ${quota.rows} or (old.bytes > ${quota.bytes} and l.classifier is null))
      and not exists (
        select from moderation_dry_runs d
        where d.app_id = l.app_id and d.status in ('waiting', 'running')
          and (d.lists ->> l.list_id)::bigint = l.revision)`.execute(db)
}
