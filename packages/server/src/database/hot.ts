import { CompiledQuery } from 'kysely'
import type { Db } from './app-db.ts'

/** A statement of the hot path: parsed and planned once per connection. */
export interface HotStatement<Row> {
  readonly text: string
  /** Never there; carries the type of a row. */
  readonly row?: Row
}

const names = new Map<string, string>()

export function hot<Row>(name: string, text: string): HotStatement<Row> {
  names.set(text, name)
  return { text }
}

export async function run<Row>(
  db: Db,
  { text }: HotStatement<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> {
  // The statement says which columns it returns; its definition says their types.
  const query = CompiledQuery.raw(text, [...parameters]) as CompiledQuery<Row>
  return (await db.executeQuery(query)).rows
}

/** The name under which a connection keeps this statement; undefined: it is not hot. */
export function nameOf(text: string): string | undefined {
  return names.get(text)
}
