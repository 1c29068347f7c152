import type { OperationName } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import { accessTo } from '@chorale/contract/permissions'
import type { AuditEntry } from '../database/audit-log.ts'
import type { Caller, Credentials } from './caller.ts'
import { traceOf } from './trace.ts'

interface Call {
  readonly name: OperationName
  readonly credentials: Credentials
  readonly address: string
  readonly requestId: string
}

/** Whatever a person changes, and what they read of users' messages, beside what the contract marks. */
export function isAudited(
  caller: Caller,
  name: OperationName,
  { audit, effect }: Operation,
): boolean {
  if (audit === true) return true
  return caller.kind === 'collaborator' && (effect !== 'read' || accessTo(name) === 'messages.read')
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
