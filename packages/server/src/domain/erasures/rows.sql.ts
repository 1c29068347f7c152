import { type RawBuilder, sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import type { ErasureRow } from './erasures.sql.ts'
import type { TableRule } from './tables.ts'

/** A table, or a partition of it. */
export interface Leaf {
  readonly name: string
  readonly blocks: number
}

/** In an order that stays. */
export async function leavesOf({ db }: AppDb, table: string): Promise<Leaf[]> {
  const { rows } = await sql<Leaf>`
    select c.relname as name,
      pg_relation_size(c.oid) / current_setting('block_size')::bigint as blocks
    from pg_class c
    where c.relkind = 'r' and c.oid in (
      select to_regclass(${table}) union select relid from pg_partition_tree(to_regclass(${table})))
    order by c.oid`.execute(db)
  return rows
}

/** Whom is it about, and which part of which file is looked at: blocks from here and below there. */
export interface Place {
  readonly leaf: string
  readonly from: number
  readonly below: number
}

/** Deletes and renames what the rule says. Returns how many rows. */
export async function eraseInBlocks(
  { appId, db }: AppDb,
  { uid, pseudonym }: Pick<ErasureRow, 'uid' | 'pseudonym'>,
  { leaf, from, below }: Place,
  rule: TableRule,
): Promise<number> {
  const here = sql`t.ctid >= ${`(${from},0)`}::tid and t.ctid < ${`(${below},0)`}::tid
    and t.app_id = ${appId}`
  let changed = 0
  const gone = conditionsOf(rule, uid, pseudonym)
  if (gone.length > 0) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.id(leaf)} t where ${here} and (${sql.join(gone, sql` or `)})`.execute(db)
    changed += Number(numAffectedRows)
  }
  const { set, where } = renamingsOf(rule, uid, pseudonym)
  if (set.length === 0) return changed
  const { numAffectedRows = 0n } = await sql`
    update ${sql.id(leaf)} t set ${sql.join(set)}
    where ${here} and (${sql.join(where, sql` or `)})`.execute(db)
  return changed + Number(numAffectedRows)
}

function renamingsOf(
  { names = [], mentions = [], blanks }: TableRule,
  uid: string,
  pseudonym: string,
): { readonly set: RawBuilder<unknown>[]; readonly where: RawBuilder<unknown>[] } {
  const mention = (of: string) => `<@uid:${of}>`
  return {
    set: [
      ...names.map((name) => {
        const column = sql.id(name)
        return sql`${column} = case when t.${column} = ${uid} then ${pseudonym} else t.${column} end`
      }),
      ...mentions.map((name) => {
        const column = sql.id(name)
        const renamed = sql`replace(t.${column}::text, ${mention(uid)}, ${mention(pseudonym)})`
        return sql`${column} = ${renamed}::jsonb`
      }),
      ...(blanks ? [sql`${sql.id(blanks.column)} = ${literal(blanks.to)}`] : []),
    ],
    where: [
      ...names.map((name) => sql`t.${sql.id(name)} = ${uid}`),
      ...mentions.map((name) => sql`strpos(t.${sql.id(name)}::text, ${mention(uid)}) > 0`),
      ...(blanks ? [hasText(blanks.column, uid)] : []),
    ],
  }
}

/** Untyped, so that it fits the column. */
function literal(value: string | null): RawBuilder<unknown> {
  return value === null ? sql`null` : sql.lit(value)
}

function hasText(column: string, uid: string): RawBuilder<unknown> {
  return sql`strpos(t.${sql.id(column)}::text, ${JSON.stringify(uid)}) > 0`
}

function conditionsOf(
  { rows = [], texts = [], messages }: TableRule,
  uid: string,
  pseudonym: string,
): RawBuilder<unknown>[] {
  return [
    ...rows.map((column) => sql`t.${sql.id(column)} = ${uid}`),
    ...texts.map((column) => hasText(column, uid)),
    ...(messages === undefined
      ? []
      : [
          sql`exists (select from entries e where e.app_id = t.app_id
                      and e.id = t.${sql.id(messages)} and e.sender = ${pseudonym})`,
        ]),
  ]
}
