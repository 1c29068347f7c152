import type { Caller, Credentials } from './caller.ts'

/** Who called, for a log: nothing of it is a secret. */
export interface Trace {
  readonly caller?: Caller['kind']
  /** Verified. */
  readonly appId?: string
  /** What a caller said whom we do not know. */
  readonly claimedAppId?: string
  /** The name of the API key or management key. */
  readonly key?: string
  /** Tells keys of one name apart: the end of an API key, a management key, the id of a session. */
  readonly keyId?: string
  /** The user of the device, or on whose behalf a server calls. */
  readonly uid?: string
  /** A person who has signed in. */
  readonly collaboratorId?: number
}

const lettersOfKey = 4

export function traceOf(caller: Caller | undefined, claimed: Credentials): Trace {
  if (!caller) return claimed.appId === undefined ? {} : { claimedAppId: claimed.appId }
  const { kind, name, app } = caller
  const appId = app && { appId: app.appId }
  switch (kind) {
    case 'device':
      return { caller: kind, ...appId, uid: caller.actor.uid }
    case 'key':
      return {
        caller: kind,
        ...appId,
        key: name,
        keyId: claimed.apiKey?.slice(-lettersOfKey) ?? '',
        ...(caller.actor && { uid: caller.actor.uid }),
      }
    case 'collaborator':
      return {
        caller: kind,
        ...appId,
        keyId: caller.sessionId,
        collaboratorId: caller.collaboratorId,
      }
    case 'management':
      return { caller: kind, ...appId, key: name, keyId: claimed.managementKey ?? '' }
  }
}
