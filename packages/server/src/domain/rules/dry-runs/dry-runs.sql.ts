import type { CaughtBy, DryRun, DryRunFinding, DryRunMatch } from '@chorale/contract/rules'
import { sql } from 'kysely'
import { type AppDb, allOf, databaseMs, jsonb } from '../../../database/app-db.ts'
import type { RuleContent } from '../rules.sql.ts'

/** A rule as it was when the run was asked for; without a revision: a draft. */
export interface TriedRule extends RuleContent {
  readonly id?: string
  readonly revisionId?: string
}

/** Revisions of keyword lists by the ids of the lists, as they were at that moment. */
export type ListRevisions = Readonly<Record<string, number>>

export interface DryRunRow {
  readonly id: string
  readonly status: DryRun['status']
  readonly rules: readonly [TriedRule, TriedRule?]
  readonly lists: ListRevisions
  readonly since: number
  readonly createdAt: number
  readonly endedAt: number | null
  /** Null: not known yet. */
  readonly firstId: number | null
  readonly lastId: number | null
  readonly reachedId: number | null
  readonly scanned: number
  readonly onlyA: number
  readonly onlyB: number
  readonly both: number
}

/** Of the table `j`. */
export const dryRunColumns = `
  j.run_id as id, j.status, j.rules, j.lists, j.since, j.created_at as "createdAt",
  j.ended_at as "endedAt", j.first_id as "firstId", j.last_id as "lastId",
  j.reached_id as "reachedId", j.scanned, j.only_a as "onlyA", j.only_b as "onlyB",
  j.in_both as "both"`
const columns = sql.raw(dryRunColumns)

export const isOpen = `j.status in ('waiting', 'running')`
const open = sql.raw(isOpen)

export async function insertDryRun(
  { appId, db }: AppDb,
  run: Pick<DryRunRow, 'id' | 'rules' | 'lists' | 'since' | 'createdAt'>,
): Promise<DryRunRow> {
  const { rows } = await sql<DryRunRow>`
    insert into moderation_dry_runs as j (app_id, run_id, rules, lists, since, created_at, due_at)
    values (${appId}, ${run.id}, ${jsonb(run.rules)}, ${jsonb(run.lists)}, ${run.since},
            ${run.createdAt}, ${databaseMs})
    returning ${columns}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A row that is inserted is returned.')
  return row
}

export async function countOpenDryRuns({ appId, db }: AppDb): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from moderation_dry_runs j where app_id = ${appId} and ${open}`.execute(db)
  return rows[0]?.n ?? 0
}

export async function findDryRun({ appId, db }: AppDb, id: string) {
  const { rows } = await sql<DryRunRow>`
    select ${columns} from moderation_dry_runs j
    where app_id = ${appId} and run_id = ${id}`.execute(db)
  return rows[0]
}

/** One that has ended stays as it is. */
export async function cancelDryRun({ appId, db }: AppDb, id: string, now: number): Promise<void> {
  await sql`
    update moderation_dry_runs j set status = 'cancelled', ended_at = ${now}, leased_until = null
    where app_id = ${appId} and run_id = ${id} and ${open}`.execute(db)
}

interface MatchPage {
  readonly limit: number
  readonly page: number
  readonly caughtBy?: CaughtBy | undefined
}

/** Newest first. */
export async function listMatches(
  { appId, db }: AppDb,
  id: string,
  { limit, page, caughtBy }: MatchPage,
): Promise<DryRunMatch[]> {
  const wanted = allOf([
    sql`app_id = ${appId} and run_id = ${id}`,
    caughtBy && sql`caught_by = ${caughtBy}`,
  ])
  const { rows } = await sql<DryRunMatch>`
    select message_id::text as "messageId", conversation_id as "conversationId", sender,
           sent_at as "sentAt", caught_by as "caughtBy", findings
    from moderation_dry_run_matches where ${wanted}
    order by message_id desc limit ${limit} offset ${(page - 1) * limit}`.execute(db)
  return rows
}

/** Of these lists, which revision is in force. */
export async function currentRevisions({ appId, db }: AppDb, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; revision: number }>`
    select list_id as id, revision from moderation_keyword_lists
    where app_id = ${appId} and list_id = any(${ids}) and active`.execute(db)
  return Object.fromEntries(rows.map(({ id, revision }) => [id, revision]))
}

/** JSON text: the terms of each list by its id. */
export async function termsOfRevisions({ appId, db }: AppDb, lists: ListRevisions) {
  const { rows } = await sql<{ terms: string }>`
    select coalesce(json_object_agg(l.list_id, l.terms), '{}')::text as terms
    from unnest(${Object.keys(lists)}::text[], ${Object.values(lists)}::bigint[]) as w(id, revision)
    join moderation_keyword_lists l
      on l.app_id = ${appId} and l.list_id = w.id and l.revision = w.revision`.execute(db)
  return rows[0]?.terms ?? '{}'
}

/** A message that was caught, as it is kept. */
export interface NewMatch {
  readonly messageId: number
  readonly conversationId: string
  readonly sender: string
  readonly sentAt: number
  readonly caughtBy: CaughtBy
  readonly findings: readonly DryRunFinding[]
}
