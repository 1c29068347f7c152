import { sql } from 'kysely'
import { type AppDb, databaseMs } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../jobs/queue.sql.ts'

export interface ErasureJob extends Job {
  /** Empty before the first range. */
  readonly table: string
  readonly block: number
  readonly rows: number
}

export const erasureQueue = defineQueue<ErasureJob>({
  name: 'erasures of apps',
  table: 'app_erasures',
  key: { app_id: 'appId' },
  open: 'true',
  columns: 'j.at_table as "table", j.at_block as block, j.rows_erased as rows',
})

/** Not while a legal hold is there. */
const isUp = (now: number) => sql`
  a.archived_at is not null and a.delete_at <= ${now}
  and not exists (select from legal_holds h where h.app_id = a.app_id)`

/** Apps whose time is up. */
export async function enqueueErasures(db: Db, now: number): Promise<void> {
  await sql`
    insert into app_erasures (app_id, due_at)
    select a.app_id, ${databaseMs} from apps a where ${isUp(now)}
    on conflict do nothing`.execute(db)
}

/** Whoever is free goes on at once. */
export async function recordErasure(
  db: Db,
  job: ErasureJob,
  { table, block, rows }: Pick<ErasureJob, 'table' | 'block' | 'rows'>,
): Promise<void> {
  await sql`
    update app_erasures
    set at_table = ${table}, at_block = ${block}, rows_erased = ${rows}, attempt = 0, ${dueAgain(0)}
    where ${erasureQueue.held(job)}`.execute(db)
}

export async function forgetErasure({ appId, db }: AppDb): Promise<void> {
  await sql`delete from app_erasures where app_id = ${appId}`.execute(db)
}

/** False: somebody has brought it back, or put it under a hold, or it is gone. */
export async function isTimeUp({ appId, db }: AppDb, now: number): Promise<boolean> {
  const { rows } = await sql`
    select from apps a where a.app_id = ${appId} and ${isUp(now)} for update of a`.execute(db)
  return rows.length > 0
}

export interface AppTable {
  readonly name: string
  /** Whether the rows of an app are found by an index. */
  readonly indexed: boolean
  /** The tables that it refers to. */
  readonly parents: readonly string[]
}

/** Every table with rows of apps, as the schema has them; of partitioned ones their partitions. */
export async function tablesOfApps(db: Db): Promise<AppTable[]> {
  const { rows } = await sql<AppTable>`
    select c.relname as name,
      exists (select from pg_index i
              join pg_class x on x.oid = i.indexrelid
              join pg_am m on m.oid = x.relam and m.amname = 'btree'
              where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null
                and i.indisvalid) as indexed,
      array(select p.relname::text from pg_constraint k
            join pg_class p on p.oid = k.confrelid
            where k.conrelid = c.oid and k.contype = 'f') as parents
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'app_id' and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    order by c.relname`.execute(db)
  return rows
}

/** Some rows of the app, found by an index. Returns how many. */
export async function eraseSome({ appId, db }: AppDb, table: string, most: number) {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.id(table)} where ctid = any(array(
      select ctid from ${sql.id(table)} where app_id = ${appId} limit ${most}))`.execute(db)
  return Number(numAffectedRows)
}

/** The rows of the app in a part of the file, where no index leads to them. */
export async function eraseInBlocks(
  { appId, db }: AppDb,
  table: string,
  from: number,
  to: number,
): Promise<{ readonly rows: number; readonly isLast: boolean }> {
  const { rows } = await sql<{ rows: number; blocks: number }>`
    with gone as (
      delete from ${sql.id(table)}
      where ctid >= ${`(${from},0)`}::tid and ctid < ${`(${to},0)`}::tid and app_id = ${appId}
      returning 1)
    select count(*) as rows,
      pg_relation_size(${table}::regclass) / current_setting('block_size')::bigint as blocks
    from gone`.execute(db)
  return { rows: rows[0]?.rows ?? 0, isLast: (rows[0]?.blocks ?? 0) <= to }
}

export async function eraseApp({ appId, db }: AppDb): Promise<void> {
  await sql`delete from apps where app_id = ${appId}`.execute(db)
}
