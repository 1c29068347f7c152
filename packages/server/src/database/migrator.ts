import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { runner } from 'node-pg-migrate'
import pg from 'pg'
import type { Db } from './db.ts'

const folder = fileURLToPath(new URL('../../migrations', import.meta.url))

/** A release must not wait long for a lock, nor make others wait behind it. */
const lockTimeout = '5s'
const statementTimeout = '15min'

/** Runs what has not run yet, each file in its own transaction; returns the names. */
export async function migrate(databaseUrl: string, say: (line: string) => void): Promise<string[]> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'chorale migrate',
  })
  await client.connect()
  try {
    await client.query(`set lock_timeout = '${lockTimeout}'`)
    await client.query(`set statement_timeout = '${statementTimeout}'`)
    const done = await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: 'migrations',
      singleTransaction: false,
      verbose: false,
      logger: { debug() {}, info() {}, warn: say, error: say },
    })
    return done.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

/** What this release needs and the database has not seen. Those of a later release do not matter. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const files = await readdir(folder)
  const names = files.filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -4))
  const done = await doneMigrations(db)
  return names.filter((name) => !done.has(name)).sort()
}

async function doneMigrations(db: Db): Promise<Set<string>> {
  const known = await sql<{ found: boolean }>`
    select to_regclass('migrations') is not null as found`.execute(db)
  if (!known.rows[0]?.found) return new Set()
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db)
  return new Set(rows.map(({ name }) => name))
}
