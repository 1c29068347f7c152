import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import type pg from 'pg'
import { PlainError } from '../plain-error.ts'
import type { Db } from './db.ts'
import { asksForRetry } from './errors.ts'
import { connectToPrimary } from './primary.ts'

/** The schema and this release do not fit; says what to do. */
export class SchemaError extends PlainError {}

interface SchemaFolders {
  /** Numbered files, each applied once. */
  readonly migrations: string
  /** A file for each SQL function, applied whenever its text has changed. */
  readonly functions: string
}

const ofThisRelease: SchemaFolders = {
  migrations: fileURLToPath(new URL('../../migrations', import.meta.url)),
  functions: fileURLToPath(new URL('../../functions', import.meta.url)),
}

/** A release must not wait long for a lock, nor make others wait behind it. */
const lockTimeout = '5s'
const statementTimeout = '15min'
/** First line of a migration for statements that PostgreSQL refuses in a transaction. */
const outsideTransaction = '-- outside a transaction\n'
const pollMs = 200
const maxAttempts = 5

const bookkeeping = `
  create table if not exists migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now());
  create table if not exists migrated_functions (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`

/** Brings a database to this release; returns the names of what was applied. */
export async function migrate(databaseUrl: string, folders = ofThisRelease): Promise<string[]> {
  const release = await readRelease(folders)
  const client = await connectToPrimary(databaseUrl, { application_name: 'chorale migrate' })
  try {
    await waitForTurn(client)
    await client.query(bookkeeping)
    const applied = await readApplied(async (text) => (await client.query(text)).rows)
    refuseChanged(release, applied)
    refuseLater(release, applied)
    const { migrations, functions } = outstanding(release, applied)
    for (const migration of migrations) await applyMigration(client, migration)
    if (functions.length > 0) await apply(client, 'migrated_functions', functions)
    return [...migrations, ...functions].map(({ name }) => name)
  } finally {
    await client.end()
  }
}

interface SchemaRules {
  /** Whether to run on the schema of a later release, to go back from it. */
  readonly later: 'refuse' | 'allow'
}

/** Throws unless the schema is that of this release. */
export async function requireSchema(
  db: Db,
  { later }: SchemaRules,
  folders = ofThisRelease,
): Promise<void> {
  const release = await readRelease(folders)
  const applied = await readAppliedIn(db)
  refuseChanged(release, applied)
  if (later === 'refuse') refuseLater(release, applied)
  const { migrations, functions } = outstanding(release, applied)
  const needed = functions.filter(({ name }) => later === 'refuse' || !applied.functions.has(name))
  const names = [...migrations, ...needed].map(({ name }) => name)
  if (names.length > 0) throw new SchemaError(behind(names))
}

/**
 * Throws when the schema lacks something that this release needs. A process that runs goes on while a
 * later release is being rolled out, so what is there beside it does not matter.
 */
export async function requireMigrations(db: Db, folders = ofThisRelease): Promise<void> {
  const applied = await readAppliedIn(db)
  const names = await namesIn(folders.migrations)
  const missing = names.filter((name) => !applied.migrations.has(name))
  if (missing.length > 0) throw new SchemaError(behind(missing))
}

/** The name of the last migration that was applied; undefined: none was. */
export async function lastMigration(db: Db): Promise<string | undefined> {
  return [...(await readAppliedIn(db)).migrations.keys()].sort().at(-1)
}

/** Functions of this release that the database lacks, or has with another body: changed by hand. */
export async function staleFunctions(db: Db, folders = ofThisRelease): Promise<string[]> {
  const files = await filesIn(folders.functions)
  const { rows } = await sql<{ name: string; body: string }>`
    select proname as name, prosrc as body from pg_proc
    where pronamespace = current_schema()::regnamespace`.execute(db)
  const isThere = ({ name, text }: SqlFile) =>
    rows.some((row) => row.name === name && text.includes(row.body))
  return files.filter((file) => !isThere(file)).map(({ name }) => name)
}

/** Applies every function of this release, whatever was applied before. */
export async function reapplyFunctions(databaseUrl: string, folders = ofThisRelease) {
  const client = await connectToPrimary(databaseUrl)
  try {
    await apply(client, 'migrated_functions', await filesIn(folders.functions))
  } finally {
    await client.end()
  }
}

interface SqlFile {
  readonly name: string
  readonly text: string
  readonly checksum: string
}

type ByKind<T> = { readonly [K in keyof SchemaFolders]: T }

/** Checksums by name. */
type Applied = ByKind<ReadonlyMap<string, string>>

async function namesIn(folder: string): Promise<string[]> {
  return (await pathsIn(folder)).map(nameOf)
}

async function pathsIn(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true })
  return paths.filter((path) => path.endsWith('.sql')).sort()
}

const nameOf = (path: string) => basename(path, '.sql')

async function filesIn(folder: string): Promise<SqlFile[]> {
  const paths = await pathsIn(folder)
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(folder, path), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { name: nameOf(path), text, checksum }
    }),
  )
}

async function readRelease(folders: SchemaFolders): Promise<ByKind<readonly SqlFile[]>> {
  return {
    migrations: await filesIn(folders.migrations),
    functions: await filesIn(folders.functions),
  }
}

type Query = (text: string) => Promise<readonly unknown[]>

async function readApplied(query: Query): Promise<Applied> {
  const [migrations, functions] = [
    await query('select name, checksum from migrations'),
    await query('select name, checksum from migrated_functions'),
  ].map((rows) => {
    // The statement says which columns there are.
    const pairs = (rows as { name: string; checksum: string }[]).map(
      ({ name, checksum }) => [name, checksum] as const,
    )
    return new Map(pairs)
  })
  return { migrations: migrations ?? new Map(), functions: functions ?? new Map() }
}

async function readAppliedIn(db: Db): Promise<Applied> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass('migrated_functions') is not null as found`.execute(db)
  if (!rows[0]?.found) return { migrations: new Map(), functions: new Map() }
  return readApplied(async (text) => (await sql.raw(text).execute(db)).rows)
}

function outstanding(release: ByKind<readonly SqlFile[]>, applied: Applied) {
  return {
    migrations: release.migrations.filter(({ name }) => !applied.migrations.has(name)),
    functions: release.functions.filter(
      ({ name, checksum }) => applied.functions.get(name) !== checksum,
    ),
  }
}

function behind(names: readonly string[]): string {
  return `The database is behind this release (${names.join(', ')}): run \`chorale migrate\`.`
}

function refuseChanged({ migrations }: ByKind<readonly SqlFile[]>, applied: Applied): void {
  const changed = migrations
    .filter(({ name, checksum }) => (applied.migrations.get(name) ?? checksum) !== checksum)
    .map(({ name }) => name)
  if (changed.length === 0) return
  throw new SchemaError(
    `Migrations differ from what was applied to the database (${changed.join(', ')}): install this ` +
      'release anew, or put the files back and make the change in a new migration.',
  )
}

function refuseLater({ migrations }: ByKind<readonly SqlFile[]>, applied: Applied): void {
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied.migrations.keys()].filter((name) => !known.has(name)).sort()
  if (unknown.length === 0) return
  throw new SchemaError(
    `The database was migrated by a later release (${unknown.join(', ')}): start that release or a ` +
      'later one. To go back to this release all the same, set DATABASE_LATER_SCHEMA=allow.',
  )
}

/**
 * Of two processes one waits here, and then finds nothing to do. Not in a statement that waits: an
 * index that is made concurrently would wait for that statement's transaction.
 */
async function waitForTurn(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('chorale migrate', 0)) as mine`,
    )
    if (rows[0]?.mine) return
    await after(pollMs)
  }
}

async function applyMigration(client: pg.Client, migration: SqlFile): Promise<void> {
  if (!migration.text.startsWith(outsideTransaction))
    return apply(client, 'migrations', [migration])
  // Nobody waits behind these statements, so they may take and wait as long as they need.
  await client.query('set lock_timeout = 0; set statement_timeout = 0')
  const statements = migration.text.split(/;\s*$/m).filter((statement) => statement.trim() !== '')
  for (const text of statements) await run(client, { ...migration, text })
  await record(client, 'migrations', migration)
}

/** In one transaction, with the checksums; again when calls of the moment made it a deadlock. */
async function apply(
  client: pg.Client,
  table: 'migrations' | 'migrated_functions',
  files: readonly SqlFile[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyOnce(client, table, files)
    } catch (error) {
      const again = error instanceof Error && asksForRetry(error.cause)
      if (!again || attempt === maxAttempts) throw error
      await client.query('rollback')
    }
  }
}

async function applyOnce(
  client: pg.Client,
  table: 'migrations' | 'migrated_functions',
  files: readonly SqlFile[],
): Promise<void> {
  await client.query('begin')
  await client.query(
    `set local lock_timeout = '${lockTimeout}'; set local statement_timeout = '${statementTimeout}'`,
  )
  for (const file of files) {
    await run(client, file)
    await record(client, table, file)
  }
  if (table === 'migrated_functions') await refuseOverloads(client, files)
  await client.query('commit')
}

/** With other parameters a function stands beside the old one, and a call of it may fit both. */
async function refuseOverloads(client: pg.Client, files: readonly SqlFile[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select proname::text as name from pg_proc
     where pronamespace = current_schema()::regnamespace and proname = any($1)
     group by proname having count(*) > 1`,
    [files.map(({ name }) => name)],
  )
  const [first] = rows
  if (!first) return
  throw new SchemaError(
    `The function ${first.name} has other parameters than before, and the previous release still ` +
      'calls it: give the new one another name, and drop the old one in a migration of a later release.',
  )
}

async function run(client: pg.Client, { name, text }: SqlFile): Promise<void> {
  try {
    await client.query(text)
  } catch (error) {
    // The connection is closed next, and a transaction with it.
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${name} could not be applied: ${reason}`, { cause: error })
  }
}

async function record(
  client: pg.Client,
  table: 'migrations' | 'migrated_functions',
  { name, checksum }: SqlFile,
): Promise<void> {
  await client.query(
    `insert into ${table} (name, checksum) values ($1, $2)
     on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
    [name, checksum],
  )
}
