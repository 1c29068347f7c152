import { ChoraleError, type ErrorBody } from '../errors.ts'

/** Why there is no connection yet. */
export type WaitingReason =
  /** Nobody answers at the address, or a proxy in between refuses. */
  | 'unreachable'
  /** The connection broke. */
  | 'lost'
  /** The service has stopped answering. */
  | 'noAnswer'
  /** What was answered is not of this protocol. */
  | 'badAnswer'
  /** The function `authToken` has failed; `error` is its error. */
  | 'noToken'
  /** The service did not take the token: the function is asked for another. */
  | 'newToken'
  /** The service restarts, or moves its connections. */
  | 'goingAway'
  | 'tooManyConnections'
  | 'overloaded'

/** Why there will be no connection any more. */
export type ClosedReason =
  /** `close` was called. */
  | 'closedHere'
  /** The service is there, but not at this path. */
  | 'wrongPath'
  | 'missingAppId'
  | 'wrongAppId'
  | 'notAuthenticated'
  | 'forbidden'
  | 'badFrame'

const byCode: Readonly<Record<number, ClosedReason | WaitingReason>> = {
  403: 'forbidden',
  404: 'wrongPath',
  1000: 'closedHere',
  4000: 'goingAway',
  4002: 'noAnswer',
  4400: 'badFrame',
  4401: 'notAuthenticated',
  4403: 'forbidden',
  4429: 'tooManyConnections',
  4500: 'overloaded',
}

const byRefusal: Readonly<Record<string, ClosedReason>> = {
  AUTH_ERR_EMPTY_APPID: 'missingAppId',
  AUTH_ERR_INVALID_APPID: 'wrongAppId',
  ERR_APP_NOT_FOUND: 'wrongAppId',
}

type Refusal = ErrorBody['error']

export function closedReason(code: number, refusal: Refusal | undefined): ClosedReason {
  // Only codes that end a session are asked for.
  return byRefusal[refusal?.code ?? ''] ?? (byCode[code] as ClosedReason) ?? 'forbidden'
}

export function waitingReason(code: number, wasOpen: boolean): WaitingReason {
  // Only codes after which there is another attempt are asked for.
  return (byCode[code] as WaitingReason) ?? (wasOpen ? 'lost' : 'unreachable')
}

export function errorOf(refusal: Refusal | undefined): { readonly error?: Error } {
  return refusal ? { error: new ChoraleError(0, refusal) } : {}
}

/** The HTTP status in the error of a WebSocket, where the runtime tells it. */
export function statusIn(event: Event): number | undefined {
  const message = 'message' in event ? String(event.message) : ''
  const [, status] = /(?:response|code)\b.*\b(40[34])\b/i.exec(message) ?? []
  return status === undefined ? undefined : Number(status)
}

/**
 * Browsers do not tell why a WebSocket was refused. Beside each realtime address is one for
 * server-sent events: where that is unknown, the path is wrong.
 */
export async function isWrongPath(
  url: string,
  fetch: typeof globalThis.fetch | undefined,
): Promise<boolean> {
  const [, host = '', path = ''] = /^ws(s?:\/\/[^/?#]+)([^?#]*)/.exec(url) ?? []
  if (!fetch || host === '') return false
  try {
    const { status } = await fetch(`http${host}${path.replace(/\/$/, '')}/events`)
    return status === 404
  } catch {
    // Nobody is there, or a page of this site may not ask.
    return false
  }
}
