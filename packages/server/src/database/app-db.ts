import { type RawBuilder, sql } from 'kysely'
import type { Db } from './db.ts'

/** One app's database. Every statement names `appId`; nothing in the domain can reach another's. */
export interface AppDb {
  readonly appId: string
  readonly db: Db
}

/** The whole install: for the few operations that are not inside one app. */
export interface InstallDb {
  readonly db: Db
}

/** A value for a jsonb column; `undefined` becomes SQL null. */
export function jsonb(value: unknown): RawBuilder<unknown> {
  return sql`${value === undefined ? null : JSON.stringify(value)}::jsonb`
}

/** A value for a json column, kept as the text that it is. */
export function json(value: object): RawBuilder<unknown> {
  return sql`${JSON.stringify(value)}::json`
}

/** Conditions of a `where`, joined; `undefined` ones fall away. */
export function allOf(conditions: readonly (RawBuilder<unknown> | undefined)[]) {
  const present = conditions.filter((condition) => condition !== undefined)
  return present.length > 0 ? sql.join(present, sql` and `) : sql`true`
}

/** `%`, `_` and `\` of the client are letters, not wildcards. */
export function startingWith(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** In milliseconds. Workers need not agree on the time: PostgreSQL says what is due. */
export const databaseMs = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`
