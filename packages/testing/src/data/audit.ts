import { sql } from 'kysely'
import type { Db } from '../../../server/src/database/db.ts'

export interface AuditRow {
  readonly at: number
  readonly caller: string
  readonly operation: string
  readonly target: unknown
}

/** The audit log of an app, oldest first; the empty id is the install's own. */
export async function auditOf(db: Db, appId: string): Promise<AuditRow[]> {
  const { rows } = await sql<AuditRow>`
    select at, caller, operation, target from audit_log
    where app_id = ${appId} order by entry_id`.execute(db)
  return rows
}
