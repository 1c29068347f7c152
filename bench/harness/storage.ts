import type { Query } from '../../packages/testing/src/data/many-users.ts'

/** A table without its indexes, or an index; all partitions together. */
export interface Stored {
  readonly table: string
  /** The name of the index; empty for the table itself. */
  readonly index: string
  readonly bytes: number
}

/** What every table takes on disk. */
export async function storedBytes(query: Query): Promise<Stored[]> {
  const rows = await query(`
    with leaf as (
      select coalesce(pg_partition_root(oid), oid)::regclass::text as table, oid
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace)
    select "table", '' as index, sum(pg_table_size(oid))::float8 as bytes from leaf group by 1
    union all
    select l.table, coalesce(h.inhparent, i.indexrelid)::regclass::text,
           sum(pg_relation_size(i.indexrelid))
    from leaf l join pg_index i on i.indrelid = l.oid
    left join pg_inherits h on h.inhrelid = i.indexrelid
    group by 1, 2`)
  // As the statement says.
  return rows as Stored[]
}

/** What was added, the largest part first. */
export function growthOf(before: readonly Stored[], after: readonly Stored[]): Stored[] {
  const bytesOf = new Map(before.map(({ table, index, bytes }) => [`${table} ${index}`, bytes]))
  return after
    .map((part) => ({
      ...part,
      bytes: part.bytes - (bytesOf.get(`${part.table} ${part.index}`) ?? 0),
    }))
    .filter(({ bytes }) => bytes > 0)
    .sort((one, two) => two.bytes - one.bytes)
}
