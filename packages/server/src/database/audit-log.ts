import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { withoutSecrets } from '../vault/mask.ts'
import type { AppDb } from './app-db.ts'
import type { Db } from './db.ts'

export interface AuditEntry {
  readonly appId: string
  readonly at: number
  readonly caller: string
  readonly operation: string
  readonly input: unknown
  readonly requestId: string
  readonly address?: string
  readonly keyId?: string | undefined
  readonly uid?: string | undefined
  /** A person, and their name at that time. */
  readonly collaboratorId?: number | undefined
  readonly name?: string
}

/** Of a text in it, and of all of it: what is longer is told by its size and digest. */
const maxLetters = 1000
const maxBytes = 8192

/** Who did what, in the transaction of the change. */
export async function writeAuditLog(db: Db, entry: AuditEntry): Promise<void> {
  const { address = null, keyId = null, uid = null, collaboratorId = null, name = null } = entry
  await sql`
    insert into audit_log
      (app_id, at, caller, operation, target, request_id, address, key_id, uid, collaborator_id,
       name)
    values (${entry.appId}, ${entry.at}, ${entry.caller}, ${entry.operation},
            ${targetOf(entry.input)}::jsonb, ${entry.requestId}, ${address}, ${keyId}, ${uid},
            ${collaboratorId}, ${name})
  `.execute(db)
}

function targetOf(input: unknown): string {
  const text = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' && value.length > maxLetters ? digestOf(value) : value,
  )
  const shown = withoutSecrets(JSON.parse(text))
  return Buffer.byteLength(shown) <= maxBytes ? shown : JSON.stringify(digestOf(shown))
}

function digestOf(text: string) {
  return { bytes: Buffer.byteLength(text), sha256: hash('sha256', text) }
}

export interface AuditFilter {
  readonly appId?: string
  /** Undefined: any. */
  readonly appIds?: readonly string[] | undefined
  readonly operation?: string
  readonly caller?: string
  readonly collaboratorId?: number | undefined
  readonly since?: number
  readonly until?: number
  /** Of the oldest entry that was read. */
  readonly before?: number
  readonly limit: number
}

export interface AuditRow {
  readonly id: number
  readonly at: number
  readonly appId: string
  readonly caller: string
  readonly keyId: string | null
  readonly uid: string | null
  readonly address: string | null
  readonly operation: string
  readonly input: unknown
  readonly requestId: string
  readonly collaboratorId: number | null
  readonly name: string | null
}

/** Newest first. */
export async function readAuditLog(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { appId, appIds, operation, caller, since, until, before, limit } = filter
  const { collaboratorId } = filter
  const { rows } = await sql<AuditRow>`
    select entry_id as id, at, app_id as "appId", caller, key_id as "keyId", uid, address,
           operation, target as input, request_id as "requestId",
           collaborator_id as "collaboratorId", name
    from audit_log
    where (${appId ?? null}::text is null or app_id = ${appId ?? null})
      and (${appIds ?? null}::text[] is null or app_id = any(${appIds ?? null}))
      and (${operation ?? null}::text is null or operation = ${operation ?? null})
      and (${caller ?? null}::text is null or caller = ${caller ?? null})
      and (${collaboratorId ?? null}::bigint is null or collaborator_id = ${collaboratorId ?? null})
      and (${since ?? null}::bigint is null or at >= ${since ?? null})
      and (${until ?? null}::bigint is null or at < ${until ?? null})
      and (${before ?? null}::bigint is null or entry_id < ${before ?? null})
    order by entry_id desc
    limit ${limit}`.execute(db)
  return rows
}

const maxAtOnce = 1000

/** Some of what is older; 0 when there is no more. */
export async function forgetAuditLog(db: Db, before: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where entry_id in (
      select entry_id from (
        select entry_id, at from audit_log order by entry_id limit ${maxAtOnce}
      ) as oldest where at < ${before}
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** What is said of an app that is erased; who archived it, and when, stays. */
export async function eraseAuditLog({ appId, db }: AppDb): Promise<void> {
  await sql`
    delete from audit_log
    where app_id = ${appId} and operation not in ('deleteApp', 'app delete')`.execute(db)
}
