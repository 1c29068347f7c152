import type { AuditEntry, auditLog } from '@chorale/contract/apps'
import type { InstallDb } from '../../database/app-db.ts'
import { type AuditFilter, type AuditRow, readAuditLog } from '../../database/audit-log.ts'
import { appIdsWith } from '../../pipeline/caller.ts'
import type { InstallHandlers } from '../../pipeline/handler.ts'
import { Lines } from '../../pipeline/lines.ts'

export const auditLogHandlers: InstallHandlers<typeof auditLog> = {
  async listAuditLog({ query }, { db, caller }) {
    const appIds = appIdsWith(caller, 'audit.read')
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

  async exportAuditLog({ query }, { db, caller }) {
    const filter = { ...query, appIds: appIdsWith(caller, 'audit.read'), limit: rowsAtOnce }
    // Read before the answer begins: what fails here is still answered with an error.
    const first = await readAuditLog(db.db, filter)
    return new Lines(pagesFrom(db, filter, first))
  },
}

const rowsAtOnce = 1000

async function* pagesFrom({ db }: InstallDb, filter: AuditFilter, first: readonly AuditRow[]) {
  let rows = first
  for (;;) {
    yield rows.map(shownEntry)
    const last = rows.at(-1)
    if (!last || rows.length < rowsAtOnce) return
    rows = await readAuditLog(db, { ...filter, before: last.id })
  }
}

/** Without what a row does not have. */
export function shownEntry({ id, at, caller, operation, input, ...row }: AuditRow): AuditEntry {
  const { appId, keyId, uid, address, requestId, collaboratorId, name } = row
  return {
    id,
    at,
    caller,
    operation,
    input,
    ...(appId !== '' && { appId }),
    ...(keyId !== null && { keyId }),
    ...(collaboratorId !== null && { collaboratorId }),
    ...(name !== null && { name }),
    ...(uid !== null && { uid }),
    ...(address !== null && { address }),
    ...(requestId !== '' && { requestId }),
  }
}
