import type { Action, Condition, Filter } from '@chorale/contract/rules'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../database/app-db.ts'
import type { Weight } from './engine/weight.ts'

/** What a revision says. */
export interface RuleContent {
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly filters: Filter[]
  readonly conditions: Condition[]
  readonly actions: Action[]
  /** Null: from before there were weights. */
  readonly weight: Weight | null
}

export interface RuleRow extends RuleContent {
  readonly id: string
  readonly revision: number
  /** The first revision since the rule was last created. */
  readonly since: number
  readonly active: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

const columns = sql`
  rule_id as id, revision, since, active, name, description, enabled, filters, conditions, actions,
  weight, created_at as "createdAt", updated_at as "updatedAt"`

export async function findActiveRules({ appId, db }: AppDb): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select ${columns} from moderation_rules where app_id = ${appId} and active`.execute(db)
  return rows
}

export async function findActiveRule({ appId, db }: AppDb, id: string) {
  const { rows } = await sql<RuleRow>`
    select ${columns} from moderation_rules
    where app_id = ${appId} and rule_id = ${id} and active`.execute(db)
  return rows[0]
}

export async function findRevision({ appId, db }: AppDb, id: string, revision: number) {
  const { rows } = await sql<RuleRow>`
    select ${columns} from moderation_rules
    where app_id = ${appId} and rule_id = ${id} and revision = ${revision}`.execute(db)
  return rows[0]
}

/** Newest first, none of an earlier rule of that id. */
export async function listRevisions(
  { appId, db }: AppDb,
  { id, since }: RuleRow,
  { limit, page }: { readonly limit: number; readonly page: number },
): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    select ${columns} from moderation_rules
    where app_id = ${appId} and rule_id = ${id} and revision >= ${since}
    order by revision desc limit ${limit} offset ${(page - 1) * limit}`.execute(db)
  return rows
}

/** 0: there was never a rule of that id. */
export async function lastRevision({ appId, db }: AppDb, id: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(revision), 0) as last from moderation_rules
    where app_id = ${appId} and rule_id = ${id}`.execute(db)
  return rows[0]?.last ?? 0
}

export async function retireRule({ appId, db }: AppDb, id: string): Promise<void> {
  await sql`
    update moderation_rules set active = false
    where app_id = ${appId} and rule_id = ${id} and active`.execute(db)
}

export async function insertRevision({ appId, db }: AppDb, row: RuleRow): Promise<void> {
  await sql`
    insert into moderation_rules (app_id, rule_id, revision, since, active, name, description,
                                  enabled, filters, conditions, actions, weight, created_at,
                                  updated_at)
    values (${appId}, ${row.id}, ${row.revision}, ${row.since}, ${row.active}, ${row.name},
            ${row.description}, ${row.enabled}, ${jsonb(row.filters)}, ${jsonb(row.conditions)},
            ${row.actions}, ${jsonb(row.weight ?? undefined)}, ${row.createdAt},
            ${row.updatedAt})`.execute(db)
}
