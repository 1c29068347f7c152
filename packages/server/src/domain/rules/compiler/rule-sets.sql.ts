import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import type { RuleRow } from '../rules.sql.ts'

export interface InForce {
  readonly version: number
  readonly rules: RuleRow[]
  /** JSON text, which another thread reads: the terms of each list by its id. */
  readonly lists: string
  /** The revisions of lists that are classifiers. */
  readonly classifiers: Readonly<Record<string, number>>
}

/** All that moderates an app, as it was at one moment: one statement sees one state. */
export async function findInForce({ appId, db }: AppDb): Promise<InForce | undefined> {
  const { rows } = await sql<InForce>`
    select a.moderation_version as version,
           (select coalesce(jsonb_agg(jsonb_build_object(
                     'id', r.rule_id, 'revision', r.revision, 'since', r.since, 'active', true,
                     'name', r.name, 'description', r.description, 'enabled', r.enabled,
                     'filters', r.filters, 'conditions', r.conditions, 'actions', r.actions,
                     'createdAt', r.created_at, 'updatedAt', r.updated_at)), '[]')
            from moderation_rules r where r.app_id = a.app_id and r.active) as rules,
           (select coalesce(json_object_agg(l.list_id, l.terms), '{}')::text
            from moderation_keyword_lists l where l.app_id = a.app_id and l.active) as lists,
           (select coalesce(jsonb_object_agg(l.list_id, l.revision), '{}')
            from moderation_keyword_lists l
            where l.app_id = a.app_id and l.active and l.classifier is not null) as classifiers
    from apps a where a.app_id = ${appId}`.execute(db)
  return rows[0]
}
