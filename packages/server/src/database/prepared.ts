import { CompiledQuery } from 'kysely'
import type { Db } from './db.ts'

/** A frequent statement: parsed and planned once per connection. */
export interface PreparedStatement<Row> {
  readonly text: string
  /** Never there; carries the type of a row. */
  readonly row?: Row
}

const names = new Map<string, string>()

export function prepared<Row>(name: string, text: string): PreparedStatement<Row> {
  names.set(text, name)
  return { text }
}

type Execute = (query: {
  name: string
  text: string
  values: unknown[]
}) => Promise<{ rows: unknown[] }>

const connectionsOf = new WeakMap<Db, Execute>()

/** Prepared statements of this database go straight to connections of their own; in a transaction they do not. */
export function runPreparedOn(db: Db, execute: Execute): void {
  connectionsOf.set(db, execute)
}

export async function run<Row>(
  db: Db,
  { text }: PreparedStatement<Row>,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const execute = connectionsOf.get(db)
  const name = names.get(text)
  // As below.
  if (execute && name) return (await execute({ name, text, values: [...parameters] })).rows as Row[]
  // The statement says which columns it returns; its definition says their types.
  const query = CompiledQuery.raw(text, [...parameters]) as CompiledQuery<Row>
  return (await db.executeQuery(query)).rows
}

/** The name under which a connection keeps this statement; undefined: it is not prepared. */
export function nameOf(text: string): string | undefined {
  return names.get(text)
}
