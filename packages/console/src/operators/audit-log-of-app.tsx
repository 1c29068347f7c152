import { useApp } from '../app/session.tsx'
import { AuditLog } from './audit-log.tsx'

export function Page() {
  const { appId } = useApp()
  return <AuditLog appId={appId} />
}
