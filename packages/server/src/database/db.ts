import type { Kysely } from 'kysely'

/**
 * A connection without an app; only statements take it. Untyped on purpose: statements are SQL, and say
 * themselves what they return.
 */
export type Db = Kysely<unknown>
