import type { OperationName } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import { type Access, accessTo, type Permission, rolesWith } from '@chorale/contract/permissions'
import { appIdsWith, type Caller, type Credentials, hasPermission, isNarrowed } from './caller.ts'
import { Failure } from './failure.ts'

type Collaborator = Extract<Caller, { kind: 'collaborator' }>

/** The role of the person in the app, or in the install, must have what the contract asks for. */
export function authoriseCollaborator(
  caller: Collaborator,
  name: OperationName,
  operation: Operation,
  { onBehalfOf }: Credentials,
): void {
  const access = accessTo(name)
  if (access === 'self') return
  if (caller.mustEnrol) throw refusal('a second factor: POST /session/totp sets one up')
  if (access === 'nobody') throw refusal('an API key or an auth token: people do not act as users')
  if (operation.onBehalfOf && onBehalfOf)
    throw refusal('no header onBehalfOf: people act as themselves')
  if (!mayCall(caller, access, operation)) throw refusal(rolesNeeded(access))
}

function mayCall(caller: Collaborator, permission: Permission, operation: Operation): boolean {
  const { role, roles, app } = caller
  if (hasPermission(role, permission)) return true
  if (app) return hasPermission(roles[app.appId], permission)
  return isNarrowed(operation) && appIdsWith(caller, permission)?.length !== 0
}

function rolesNeeded(access: Access): string {
  return `an account with the role ${rolesWith(access).join(' or ')}`
}

function refusal(needed: string): Failure {
  return new Failure('AUTH_ERR_NO_ACCESS', { needed })
}
