import { AuditLog } from './audit-log.tsx'

export function Page() {
  return <AuditLog appId={undefined} />
}
