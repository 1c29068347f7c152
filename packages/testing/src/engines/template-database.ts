import pg from 'pg'
import { withDatabase } from './database-url.ts'

/** How many are kept: those of other branches and of the last changes to the schema. */
const maxTemplates = 8

export interface TemplateOptions {
  readonly databaseUrl: string
  /** The name is the prefix and the digest of what `migrate` applies. */
  readonly prefix: string
  readonly digest: string
  readonly migrate: (url: string) => Promise<unknown>
}

/** A migrated database to be cloned. It is not dropped as long as somebody has it open. */
export interface TemplateDatabase extends AsyncDisposable {
  readonly name: string
}

/**
 * Finds the template of this schema, or makes it. `is_template` is set last: a database without it was
 * left half-way. Sessions hold all locks, so those of a process that was killed are free.
 */
export async function openTemplate(options: TemplateOptions): Promise<TemplateDatabase> {
  const name = `${options.prefix}_${options.digest}`
  await using stack = new AsyncDisposableStack()
  const admin = new pg.Client({ connectionString: options.databaseUrl })
  await admin.connect()
  stack.defer(() => admin.end())
  // Of several runs one makes the template and drops old ones; the others wait.
  await admin.query(lock('pg_advisory_lock', options.prefix))
  await admin.query(lock('pg_advisory_lock_shared', name))
  const templates = await templatesOf(admin, options.prefix)
  if (!templates.some((template) => template.name === name && template.isReady)) {
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`create database ${name}`)
    await options.migrate(withDatabase(options.databaseUrl, name))
    await admin.query(`alter database ${name} is_template true`)
  }
  await dropOld(
    admin,
    templates.filter((template) => template.name !== name),
  )
  await admin.query(lock('pg_advisory_unlock', options.prefix))
  const owned = stack.move()
  return { name, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

interface Found {
  readonly name: string
  readonly isReady: boolean
}

/** Newest first. */
async function templatesOf(admin: pg.Client, prefix: string): Promise<Found[]> {
  const { rows } = await admin.query<Found>(
    `select datname as name, datistemplate as "isReady" from pg_database
     where datname ~ $1 order by oid desc`,
    [`^${prefix}_[0-9a-f]+$`],
  )
  return rows
}

async function dropOld(admin: pg.Client, others: readonly Found[]): Promise<void> {
  const complete = others.filter(({ isReady }) => isReady)
  const partial = others.filter(({ isReady }) => !isReady)
  for (const { name } of [...complete.slice(maxTemplates - 1), ...partial]) {
    const { rows } = await admin.query<{ free: boolean }>(
      lock('pg_try_advisory_lock', name, 'free'),
    )
    if (!rows[0]?.free) continue
    await admin.query(`alter database ${name} is_template false`)
    await admin.query(`drop database ${name} with (force)`)
    await admin.query(lock('pg_advisory_unlock', name))
  }
}

function lock(how: string, name: string, as = 'locked'): string {
  return `select ${how}(hashtextextended('${name}', 0)) as ${as}`
}
