import type { Caller, Credentials } from './caller.ts'

/** Who called, for a log: nothing of it is a secret. */
export interface Trace {
  readonly caller?: Caller['kind'] | undefined
  /** Verified. */
  readonly appId?: string | undefined
  /** What a caller said whom we do not know. */
  readonly claimedAppId?: string | undefined
  /** The name of the API key or management key. */
  readonly key?: string | undefined
  /** Tells keys of one name apart: the end of an API key, a management key, the id of a session. */
  readonly keyId?: string | undefined
  /** The user of the device, or on whose behalf a server calls. */
  readonly uid?: string | undefined
  /** A person who has signed in. */
  readonly collaboratorId?: number | undefined
}

const lettersOfKey = 4

export function traceOf(caller: Caller | undefined, claimed: Credentials): Trace {
  if (!caller) return { claimedAppId: claimed.appId }
  const { kind, name, app } = caller
  const appId = app?.appId
  switch (kind) {
    case 'device':
      return { caller: kind, appId, uid: caller.actor.uid }
    case 'key': {
      const keyId = claimed.apiKey?.slice(-lettersOfKey) ?? ''
      return { caller: kind, appId, key: name, keyId, uid: caller.actor?.uid }
    }
    case 'collaborator': {
      const { sessionId: keyId, collaboratorId } = caller
      return { caller: kind, appId, keyId, collaboratorId }
    }
    case 'management':
      return { caller: kind, appId, key: name, keyId: claimed.managementKey ?? '' }
  }
}
