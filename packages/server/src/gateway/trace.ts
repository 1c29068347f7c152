import type { Logger } from 'pino'
import type { Claim } from './address.ts'
import type { Connection } from './connection.ts'
import type { Identity } from './users.ts'

/** Lines of the log about one connection: whether it signed in, and why it was closed. */
export interface ConnectionTrace {
  signedIn(identity: Identity): void
  /** With an error code, or the reason of the close. */
  refused(code: string): void
}

export interface TraceParts {
  /** For lines that hold no secret: looking for one costs more than the line. */
  readonly lines: Logger
  onRefused(reason: string): void
}

export type Refusal = 'notFound' | 'origin' | 'full'

/** Of a connection that was refused before anybody could sign in. */
export function traceRefusal(
  { lines, onRefused }: TraceParts,
  over: 'websocket' | 'events',
  address: string,
  reason: Refusal,
): void {
  onRefused(reason)
  lines.info({ over, address, reason }, 'connection refused')
}

export function traceConnection(
  { lines, onRefused }: TraceParts,
  connection: Connection,
  { credentials, address }: Claim,
  over: 'websocket' | 'events',
): ConnectionTrace {
  const startedAt = performance.now()
  let names: object = { claimedAppId: credentials.appId }
  void connection.closed.then((reason) => {
    const ms = Math.round(performance.now() - startedAt)
    lines.info({ over, address, ...names, reason, ms }, 'connection closed')
  })
  return {
    signedIn({ appId, uid }) {
      names = { appId, uid }
      lines.info({ over, address, ...names }, 'signed in')
    },
    refused(code) {
      onRefused(code)
      lines.info({ over, address, ...names, code }, 'sign-in refused')
    },
  }
}
