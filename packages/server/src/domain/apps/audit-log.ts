import type { AuditEntry, auditLog } from '@chorale/contract/apps'
import { type AuditRow, readAuditLog } from '../../database/audit-log.ts'
import type { InstallHandlers } from '../../pipeline/handler.ts'

export const auditLogHandlers: InstallHandlers<typeof auditLog> = {
  async listAuditLog({ query }, { db, caller }) {
    const appIds = caller.kind === 'management' ? caller.appIds : []
    const rows = await readAuditLog(db.db, { ...query, appIds })
    const last = rows.at(-1)
    const { limit } = query
    return {
      data: rows.map(shownEntry),
      meta: {
        current: { limit, count: rows.length },
        ...(last && rows.length === limit && { next: { before: last.id } }),
      },
    }
  },
}

/** Without what a row does not have. */
export function shownEntry({ id, at, caller, operation, input, ...row }: AuditRow): AuditEntry {
  const { appId, keyId, uid, address, requestId } = row
  return {
    id,
    at,
    caller,
    operation,
    input,
    ...(appId !== '' && { appId }),
    ...(keyId !== null && { keyId }),
    ...(uid !== null && { uid }),
    ...(address !== null && { address }),
    ...(requestId !== '' && { requestId }),
  }
}
