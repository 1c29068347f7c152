import { sql } from 'kysely'
import { withoutSecrets } from '../vault/mask.ts'
import type { Db } from './app-db.ts'

export interface AuditEntry {
  readonly appId: string
  readonly at: number
  readonly caller: string
  readonly operation: string
  readonly input: unknown
  readonly requestId: string
}

/** Who changed what, in the transaction of the change. */
export async function writeAuditLog(db: Db, entry: AuditEntry): Promise<void> {
  await sql`
    insert into audit_log (app_id, at, caller, operation, target, request_id)
    values (${entry.appId}, ${entry.at}, ${entry.caller}, ${entry.operation},
            ${withoutSecrets(entry.input)}::jsonb, ${entry.requestId})
  `.execute(db)
}
