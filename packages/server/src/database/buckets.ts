import { type RawBuilder, sql } from 'kysely'

/**
 * The log is partitioned into so many buckets, and a conversation lies in one. The id of an entry is
 * n * 64 + its bucket, so the id alone says where the entry is. An entry that was imported may have the
 * id that it had elsewhere, which says nothing.
 */
export const bucketCount = 64

export function bucketOf(id: number): number {
  return id % bucketCount
}

/** Finds an entry `e` by its id: first where the id points, then everywhere. */
export async function findById<T>(
  id: number,
  find: (here: RawBuilder<boolean>) => Promise<T | undefined>,
): Promise<T | undefined> {
  return (await find(sql`e.bucket = ${bucketOf(id)}`)) ?? (await find(sql`true`))
}

/** `bucketOf` in SQL, of a column. */
export function bucketOfColumn(id: string): string {
  return `${id} % ${bucketCount}`
}

/** In SQL: the bucket of a new conversation, whose key is the column `key`. */
export function bucketOfNew(appId: string): RawBuilder<number> {
  return sql`hashtextextended(${appId}, key) & ${sql.lit(bucketCount - 1)}`
}

/** In SQL: a fresh id in a bucket. */
export function nextId(bucket: number): RawBuilder<number> {
  return sql`nextval('entry_numbers') * ${sql.lit(bucketCount)} + ${bucket}`
}
