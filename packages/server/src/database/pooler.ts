import { sql } from 'kysely'
import type { Db } from './db.ts'

interface Setting {
  readonly name: string
  readonly value: string
}

/**
 * What a connection without a pooler asks for at its start. A pooler's connections to PostgreSQL are
 * shared, so the role or the pooler has to say it. Returns `alter role` statements for what differs;
 * a shorter timeout does not.
 */
export async function missingPoolerSettings(db: Db, timeoutMs: number): Promise<string[]> {
  const { rows } = await sql<Setting & { role: string; database: string }>`
    select name, setting as value,
      quote_ident(session_user) as role, quote_ident(current_database()) as database
    from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'jit')
    order by name`.execute(db)
  return rows.flatMap(({ name, value, role, database }) => {
    const wanted = name === 'jit' ? 'off' : `${timeoutMs}ms`
    if (name === 'jit' ? value === 'off' : isWithin(Number(value), timeoutMs)) return []
    return [`alter role ${role} in database ${database} set ${name} = '${wanted}';`]
  })
}

/** 0 is no limit. */
const isWithin = (ms: number, maxMs: number) => ms > 0 && ms <= maxMs
