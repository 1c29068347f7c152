import type { OperationName } from '@chorale/contract/api'
import type { ApiKeyScope } from '@chorale/contract/apps'
import type { Operation } from '@chorale/contract/operation'
import type { Caller, Credentials } from './caller.ts'
import { Failure } from './failure.ts'
import { authoriseCollaborator } from './permissions.ts'

interface Call {
  readonly name: OperationName
  readonly credentials: Credentials
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
}

/** Throws unless this caller may make the call. */
export function authorise(caller: Caller, operation: Operation, call: Call): void {
  if (caller.kind === 'management') return
  if (caller.kind === 'collaborator') {
    authoriseCollaborator(caller, call.name, operation, call.credentials)
    return
  }
  if (caller.kind === 'device') authoriseDevice(caller.actor.uid, operation, call)
  else authoriseKey(caller.scope, operation)
  const { feature } = operation
  if (feature && caller.actor?.restrictedFeatures.includes(feature)) {
    throw new Failure('ERR_PERMISSION_DENIED', { what: `the feature ${feature}` })
  }
}

function authoriseKey(scope: ApiKeyScope, { requires }: Operation): void {
  if (requires === 'authToken') {
    throw new Failure('AUTH_ERR_NO_ACCESS', { needed: 'the auth token of a user' })
  }
  if (requires === 'fullAccess' && scope !== 'fullAccess') {
    throw new Failure('AUTH_ERR_NO_ACCESS', { needed: `an API key with the scope ${requires}` })
  }
}

function authoriseDevice(uid: string, { device, path }: Operation, call: Call): void {
  if (device === undefined) {
    throw new Failure('AUTH_ERR_NO_ACCESS', { needed: 'an API key, on a server' })
  }
  // Only the place that the handler reads counts: a caller can fill the other one at will.
  const owner = path.includes('/:uid') ? call.params.uid : call.query.uid
  if (device === 'own' && String(owner).toLowerCase() !== uid) {
    throw new Failure('ERR_PERMISSION_DENIED', { what: 'what belongs to another user' })
  }
}
