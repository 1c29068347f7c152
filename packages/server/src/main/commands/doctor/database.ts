import { statfs } from 'node:fs/promises'
import { addressesIn } from '../../../database/primary.ts'
import { type Check, type Finding, failure, messageOf, ok, warning } from './check.ts'
import {
  hasExtension,
  invalidIndexes,
  longTransactions,
  missingRights,
  readServer,
} from './database.sql.ts'
import type { Subject } from './subject.ts'

const needs = ['database']

const database: Check = {
  name: 'database',
  looksAt: 'PostgreSQL answers, is 15 or later, takes writes and stores UTF-8',
  needs: ['settings'],
  async run(subject) {
    try {
      const { version, versionText, readOnly, encoding } = await readServer(subject.database.db)
      if (version < 150_000) {
        return failure(`PostgreSQL is ${versionText}.`, 'Upgrade it to 15 or later.')
      }
      if (readOnly) {
        return failure('The database is read-only.', 'Make it writable.')
      }
      if (encoding !== 'UTF8') {
        const text = `The database stores ${encoding}, not UTF8.`
        return failure(text, "Create it anew with `encoding 'UTF8'` and restore into it.")
      }
      return ok(`PostgreSQL ${versionText}`)
    } catch (error) {
      return unreachable(error)
    }
  },
}

const reasons: readonly (readonly [RegExp, string, string])[] = [
  [
    /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT)$|timeout|terminated/,
    'PostgreSQL does not answer.',
    'Start it, or correct DATABASE_URL.',
  ],
  [
    /is a standby/,
    'The database is a standby.',
    'Let DATABASE_URL name the primary, or all servers of which one is: postgres://user@a:5432,b:5432/name.',
  ],
  [/^28/, 'PostgreSQL refuses the user or the password.', 'Correct DATABASE_URL.'],
  [/^3D000$/, 'The database does not exist.', 'Create it, then run `chorale migrate`.'],
  [
    /^53300$|too many/,
    'PostgreSQL has no connection left.',
    'Raise max_connections, or the limit of the role or database, or lower DATABASE_POOL_SIZE.',
  ],
  [
    /^ERR_INVALID_URL$/,
    'DATABASE_URL is no address.',
    'Write postgres://user:password@host:5432/name.',
  ],
]

function unreachable(error: unknown): Finding {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = reasons.find(([when]) => when.test(code) || when.test(messageOf(error)))
  if (known) return failure(known[1], known[2])
  return failure(`PostgreSQL cannot be used: ${messageOf(error)}.`, 'Check DATABASE_URL.')
}

const rights: Check = {
  name: 'rights',
  looksAt: 'the role may create objects and read and write every table',
  needs,
  async run({ database: { db } }) {
    const missing = await missingRights(db)
    if (missing.length === 0) return ok('may create, read and write')
    const listed = missing.slice(0, 5).join(', ')
    const more = missing.length > 5 ? ` and ${missing.length - 5} more` : ''
    return failure(
      `The role of DATABASE_URL lacks rights: ${listed}${more}.`,
      'Grant them to it, or let it own the database and its tables (`alter table ... owner to`).',
    )
  },
}

export const extension: Check = {
  name: 'extension',
  looksAt: 'the extension btree_gin, which indexes of tags need',
  needs: ['schema'],
  async run({ database: { db } }) {
    if (await hasExtension(db, 'btree_gin')) return ok('btree_gin')
    const remedy =
      'Run `create extension btree_gin` as an owner of the database (package postgresql-contrib), then `chorale migrate`.'
    return failure('The extension btree_gin is missing.', remedy)
  },
}

const clock: Check = {
  name: 'clock',
  looksAt: 'the clock of this machine and that of PostgreSQL agree',
  needs,
  async run({ database: { db } }) {
    const before = Date.now()
    const { nowMs } = await readServer(db)
    // The answer came between the two.
    const off = Math.max(before - nowMs, nowMs - Date.now(), 0) / 1000
    if (off < 2) return ok('less than 2 s apart')
    const text = `The clock of this machine and that of PostgreSQL are ${off.toFixed(0)} s apart.`
    return (off < 30 ? warning : failure)(
      text,
      'Run a time service (chrony, systemd-timesyncd) on both.',
    )
  },
}

const connections: Check = {
  name: 'connections',
  looksAt: 'the pools of one process fit into what PostgreSQL allows, and some are free',
  needs,
  async run({ config, database: { db } }) {
    const facts = await readServer(db)
    const pools =
      config.DATABASE_POOL_SIZE +
      config.DATABASE_STATEMENT_POOL_SIZE +
      config.DATABASE_BACKGROUND_POOL_SIZE
    const limits = [facts.maxConnections - facts.reserved, facts.roleLimit, facts.databaseLimit]
    const allowed = Math.min(...limits.filter((limit) => limit >= 0))
    const remedy =
      'Raise max_connections (or the connection limit of the role or database), or lower DATABASE_POOL_SIZE, ' +
      'DATABASE_STATEMENT_POOL_SIZE and DATABASE_BACKGROUND_POOL_SIZE.'
    if (pools > allowed) {
      return failure(
        `The pools may open ${pools} connections; PostgreSQL allows ${allowed}.`,
        remedy,
      )
    }
    const seen = `${facts.connections} of ${facts.maxConnections} in use; the pools need ${pools}`
    const isFull = facts.connections > 0.9 * (facts.maxConnections - facts.reserved)
    return isFull ? warning(`Connections are nearly used up: ${seen}.`, remedy) : ok(seen)
  },
}

const longSeconds = 600

const transactions: Check = {
  name: 'transactions',
  looksAt: `transactions of over ${longSeconds / 60} minutes, which hold locks and keep dead rows`,
  needs,
  async run({ database: { db } }) {
    const [first, ...others] = await longTransactions(db, longSeconds)
    if (!first) return ok('none is long')
    const text = `${others.length + 1} transactions are open for long, one of ${first.program || 'an unnamed program'} for ${first.seconds} s.`
    return warning(text, `End it: \`select pg_terminate_backend(${first.pid})\`.`)
  },
}

const maintenance: Check = {
  name: 'maintenance',
  looksAt: 'autovacuum runs, and every index is valid',
  needs,
  async run({ database: { db } }) {
    const invalid = await invalidIndexes(db)
    if (invalid.length > 0) {
      const text = `Indexes are not valid: ${invalid.join(', ')}.`
      return failure(text, `Run \`reindex index concurrently ${invalid[0]}\` for each.`)
    }
    if (!(await readServer(db)).autovacuum) {
      return warning('Autovacuum is off.', 'Set `autovacuum = on` in postgresql.conf and reload.')
    }
    return ok('autovacuum is on, indexes are valid')
  },
}

const disk: Check = {
  name: 'disk',
  looksAt: 'free space of the data directory, where it is on this machine and the role may ask',
  needs,
  async run({ config, database: { db } }) {
    const { dataDirectory, bytes } = await readServer(db)
    const size = `the database has ${gigabytes(bytes)}`
    const free =
      dataDirectory && isLocal(config.DATABASE_URL) ? await freeIn(dataDirectory) : undefined
    if (!free) return ok(`${size}; free space is not known here`)
    const seen = `${gigabytes(free.bytes)} free (${Math.round(free.share * 100)} %), ${size}`
    if (free.share >= 0.1) return ok(seen)
    const remedy = 'Enlarge the volume of PostgreSQL, or move WAL archives and logs off it.'
    return (free.share < 0.03 ? failure : warning)(
      `The disk of PostgreSQL fills up: ${seen}.`,
      remedy,
    )
  },
}

const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

export function isLocal(url: Subject['config']['DATABASE_URL']): boolean {
  const [first = url] = addressesIn(url)
  const host = URL.parse(first)?.hostname ?? ''
  return host === '' || /^(localhost|127\..*|\[::1\])$/.test(host)
}

async function freeIn(folder: string) {
  // In a container of its own it is not here.
  const found = await statfs(folder).catch(() => undefined)
  return found && { bytes: found.bavail * found.bsize, share: found.bavail / found.blocks }
}

export const databaseChecks: readonly Check[] = [
  database,
  rights,
  clock,
  connections,
  transactions,
  maintenance,
  disk,
]
