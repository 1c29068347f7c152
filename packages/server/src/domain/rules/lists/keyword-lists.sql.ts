import type { ListCategory } from '@chorale/contract/rules'
import { sql } from 'kysely'
import { type AppDb, jsonb } from '../../../database/app-db.ts'
import type { Weight } from '../engine/weight.ts'

/** Whom to ask, and how. The list says which kind it is. */
export interface ClassifierSettings {
  readonly url: string
  /** Of one with an API of its own: Basic auth, if there is a name. */
  readonly username?: string
  /** Of one that speaks as OpenAI does. */
  readonly model?: string
  readonly prompt?: string
  readonly onError: 'allow' | 'block'
  readonly contextWindow: number
}

export interface KeywordListRow {
  readonly id: string
  readonly revision: number
  readonly active: boolean
  readonly name: string
  readonly description: string | null
  readonly category: ListCategory
  readonly isCSV: boolean
  readonly searchTerms: string[]
  /** Null: from before there were weights. */
  readonly weight: Weight | null
  /** Null: it is no classifier. */
  readonly classifier: ClassifierSettings | null
  readonly classifierSecret: Buffer | null
  readonly createdAt: number
  readonly updatedAt: number
}

const columns = sql`
  list_id as id, revision, active, name, description, category, is_csv as "isCSV",
  to_json(terms) as "searchTerms", weight, classifier, classifier_secret_encrypted as "classifierSecret", created_at as "createdAt", updated_at as "updatedAt"`

export async function findActiveLists({ appId, db }: AppDb): Promise<KeywordListRow[]> {
  const { rows } = await sql<KeywordListRow>`
    select ${columns} from moderation_keyword_lists
    where app_id = ${appId} and active order by created_at, list_id`.execute(db)
  return rows
}

/** Of a list that is in force: what it looks for, and how much that is. */
export type ListSummary = Pick<KeywordListRow, 'category' | 'weight'>

export async function findListSummary({ appId, db }: AppDb, id: string) {
  const { rows } = await sql<ListSummary>`
    select category, weight from moderation_keyword_lists
    where app_id = ${appId} and list_id = ${id} and active`.execute(db)
  return rows[0]
}

export async function findActiveList({ appId, db }: AppDb, id: string) {
  const { rows } = await sql<KeywordListRow>`
    select ${columns} from moderation_keyword_lists
    where app_id = ${appId} and list_id = ${id} and active`.execute(db)
  return rows[0]
}

export async function countLists({ appId, db }: AppDb): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from moderation_keyword_lists
    where app_id = ${appId} and active`.execute(db)
  return rows[0]?.n ?? 0
}

/** 0: there was never a list of that id. */
export async function lastListRevision({ appId, db }: AppDb, id: string): Promise<number> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(revision), 0) as last from moderation_keyword_lists
    where app_id = ${appId} and list_id = ${id}`.execute(db)
  return rows[0]?.last ?? 0
}

export async function retireList({ appId, db }: AppDb, id: string): Promise<void> {
  await sql`
    update moderation_keyword_lists set active = false
    where app_id = ${appId} and list_id = ${id} and active`.execute(db)
}

export async function insertListRevision({ appId, db }: AppDb, row: KeywordListRow): Promise<void> {
  await sql`
    insert into moderation_keyword_lists (app_id, list_id, revision, active, name, description,
                                          category, is_csv, terms, weight, classifier,
                                          classifier_secret_encrypted, created_at, updated_at)
    values (${appId}, ${row.id}, ${row.revision}, ${row.active}, ${row.name}, ${row.description},
            ${row.category}, ${row.isCSV}, ${row.searchTerms}, ${jsonb(row.weight ?? undefined)},
            ${jsonb(row.classifier ?? undefined)}, ${row.classifierSecret}, ${row.createdAt}, ${row.updatedAt})`.execute(
    db,
  )
}

export type ClassifierRow = Pick<
  KeywordListRow,
  'id' | 'revision' | 'category' | 'classifier' | 'classifierSecret'
>

/** Of these revisions: a list that was changed or deleted meanwhile is still known as it was. */
export async function findClassifiers(
  { appId, db }: AppDb,
  wanted: readonly { readonly id: string; readonly revision: number }[],
): Promise<ClassifierRow[]> {
  const { rows } = await sql<ClassifierRow>`
    select l.list_id as id, l.revision, l.category, l.classifier,
           l.classifier_secret_encrypted as "classifierSecret"
    from unnest(${wanted.map(({ id }) => id)}::text[],
                ${wanted.map(({ revision }) => revision)}::bigint[]) as w(id, revision)
    join moderation_keyword_lists l
      on l.app_id = ${appId} and l.list_id = w.id and l.revision = w.revision`.execute(db)
  return rows
}
