import type { OperationName } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import type { AuditEntry } from '../database/audit-log.ts'
import type { Caller, Credentials } from './caller.ts'
import { traceOf } from './trace.ts'

interface Call {
  readonly name: OperationName
  readonly credentials: Credentials
  readonly address: string
  readonly requestId: string
}

/** Whatever a person changes is noted, beside what the contract marks. */
export function isAudited(caller: Caller, { audit, effect }: Operation): boolean {
  return audit === true || (caller.kind === 'collaborator' && effect !== 'read')
}

export function auditEntryOf(call: Call, caller: Caller, input: object, now: number): AuditEntry {
  return {
    ...traceOf(caller, call.credentials),
    appId: caller.app?.appId ?? '',
    at: now,
    caller: `${caller.kind}:${caller.kind === 'collaborator' ? caller.email : caller.name}`,
    ...(caller.kind === 'collaborator' && { name: caller.name }),
    operation: call.name,
    input,
    requestId: call.requestId,
    address: call.address,
  }
}
