import { type RawBuilder, sql } from 'kysely'
import { placeIn, type SealedColumn, sealedColumns } from '../vault/sealed-columns.ts'
import { keyIdIn, type Vault } from '../vault/vault.ts'
import { byteas, texts } from './arrays.ts'
import type { Db } from './db.ts'

export interface Progress {
  readonly table: string
  readonly column: string
  readonly done: number
  readonly total: number
}

const batch = 500
/** What is sealed with the previous key meanwhile, by a process that has not been restarted. */
const maxPasses = 5

interface SealedRow {
  readonly appId: string
  readonly id: string
  /** The key behind `app_id`, as text. */
  readonly key: readonly string[]
  /** What the secret is bound to. */
  readonly row: readonly (string | Buffer)[]
  readonly sealed: Buffer
}

/** Those that are broken no key opens: they were lost before. */
export interface Resealed {
  readonly resealed: number
  readonly broken: number
}

/**
 * Seals every secret with the current key that is not sealed with it, a batch at a time, while others
 * serve. May be ended and started again at any point.
 */
export async function resealAll(
  db: Db,
  vault: Vault,
  report: (progress: Progress) => void,
): Promise<Resealed> {
  let resealed = 0
  for (let pass = 0; pass < maxPasses; pass++) {
    let inPass = 0
    let broken = 0
    for (const column of Object.values(sealedColumns)) {
      const done = await resealColumn(db, vault, column, report)
      inPass += done.resealed
      broken += done.broken
    }
    resealed += inPass
    if (inPass === 0) return { resealed, broken }
  }
  throw new Error('Secrets are still being sealed with the previous key: restart every process.')
}

async function resealColumn(
  db: Db,
  vault: Vault,
  column: SealedColumn,
  report: (progress: Progress) => void,
): Promise<Resealed> {
  const total = await countStale(db, column, vault.header)
  let resealed = 0
  let broken = 0
  let after: SealedRow | undefined
  while (total > 0) {
    const rows = await readRows(db, column, after, vault.header)
    const changes = rows.flatMap((row) => changeOf(vault, column, row) ?? [])
    await replace(db, column, changes)
    resealed += changes.length
    broken += rows.length - changes.length
    const done = resealed + broken
    report({ table: column.table, column: column.column, done, total: Math.max(done, total) })
    after = rows.at(-1)
    if (rows.length < batch) break
  }
  return { resealed, broken }
}

interface Change {
  readonly id: string
  readonly sealed: Buffer
  readonly again: Buffer
}

function changeOf(vault: Vault, column: SealedColumn, row: SealedRow): Change | undefined {
  const place = placeIn(column, row.appId, ...row.row)
  const secret = openedIn(vault, row.sealed, place)
  if (secret === undefined) return undefined
  return { id: row.id, sealed: row.sealed, again: vault.seal(secret, place) }
}

export interface Census {
  readonly table: string
  readonly column: string
  /** How many are sealed with which key; `none` in the format that names no key. */
  readonly byKey: Readonly<Record<string, number>>
  /** That no key opens in their place. */
  readonly broken: number
}

/** Opens every secret there is, and says which keys they need. */
export async function inspectAll(db: Db, vault: Vault): Promise<Census[]> {
  const found: Census[] = []
  for (const column of Object.values(sealedColumns)) {
    found.push(await inspectColumn(db, vault, column))
  }
  return found
}

async function inspectColumn(db: Db, vault: Vault, column: SealedColumn): Promise<Census> {
  const byKey: Record<string, number> = {}
  let broken = 0
  let after: SealedRow | undefined
  for (;;) {
    const rows = await readRows(db, column, after)
    for (const { appId, row, sealed } of rows) {
      const by = keyIdIn(sealed) ?? 'none'
      byKey[by] = (byKey[by] ?? 0) + 1
      if (openedIn(vault, sealed, placeIn(column, appId, ...row)) === undefined) broken++
    }
    after = rows.at(-1)
    if (rows.length < batch) break
  }
  return { table: column.table, column: column.column, byKey, broken }
}

function openedIn(
  vault: Vault,
  sealed: Buffer,
  place: ReturnType<typeof placeIn>,
): string | undefined {
  try {
    return vault.open(sealed, place)
  } catch {
    // That it does not open is what was asked.
    return undefined
  }
}

/** Not sealed with the current key. */
function stale(column: SealedColumn, header: Buffer): RawBuilder<unknown> {
  return sql`substring(${sql.ref(column.column)} from 1 for ${header.length}::int) <> ${header}`
}

async function countStale(db: Db, column: SealedColumn, header: Buffer): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from ${sql.table(column.table)} where ${stale(column, header)}`.execute(db)
  return rows[0]?.n ?? 0
}

/** In the order of the primary key, which has an index; `header`: only those that lack it. */
async function readRows(
  db: Db,
  column: SealedColumn,
  after: SealedRow | undefined,
  header?: Buffer,
): Promise<SealedRow[]> {
  const { row = column.key, ofInstall = false } = column
  const appId = ofInstall ? sql`''` : sql.ref('app_id')
  const key = [...(ofInstall ? [] : [appId]), ...column.key.map((name) => sql.ref(name))]
  const last = after && [...(ofInstall ? [] : [after.appId]), ...after.key]
  const behind = last ? sql`(${sql.join(key)}) > (${sql.join(last)})` : sql`true`
  const asText = column.key.map((name) => sql`${sql.ref(name)}::text`)
  const bound = row.map((name) => sql`${sql.ref(name)} as ${sql.ref(`bound_${name}`)}`)
  const { rows } = await sql<
    Record<string, string | number | Buffer> & { sealed: Buffer; key: string[] }
  >`
    select ${appId} as "appId", ctid::text as id, array[${sql.join(asText)}]::text[] as key,
           ${sql.ref(column.column)} as sealed ${bound.length > 0 ? sql`, ${sql.join(bound)}` : sql``}
    from ${sql.table(column.table)}
    where ${sql.ref(column.column)} is not null and ${behind}
      and ${header ? stale(column, header) : sql`true`}
    order by ${sql.join(key)} limit ${batch}`.execute(db)
  return rows.map((found) => ({
    appId: String(found.appId),
    id: String(found.id),
    key: found.key,
    sealed: found.sealed,
    row: row.map((name) => asName(found[`bound_${name}`])),
  }))
}

function asName(value: string | number | Buffer | undefined): string | Buffer {
  return typeof value === 'number' ? String(value) : (value ?? '')
}

/** A row that was changed meanwhile is left alone: the next pass finds it, if it must. */
async function replace(db: Db, column: SealedColumn, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return
  await sql`
    update ${sql.table(column.table)} as t set ${sql.ref(column.column)} = w.again
    from unnest(${texts(changes.map(({ id }) => id))}::text[],
                ${byteas(changes.map(({ sealed }) => sealed))}::bytea[],
                ${byteas(changes.map(({ again }) => again))}::bytea[]) as w(id, sealed, again)
    where t.ctid = w.id::tid and t.${sql.ref(column.column)} = w.sealed`.execute(db)
}
