import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ClientFrame } from '@chorale/contract/frames'
import type { Logger } from 'pino'
import type { RawData, WebSocket } from 'ws'
import type { AddressLimits } from '../pipeline/address-limits.ts'
import { failureOf } from '../pipeline/errors.ts'
import type { Failure } from '../pipeline/failure.ts'
import type { ClientAddress } from '../web/client-address.ts'
import { type Claim, claimOf } from './address.ts'
import { readFrame } from './client-frames.ts'
import type { ProfileLoader } from './connected-users.ts'
import {
  type CloseReason,
  type Connection,
  type ConnectionParts,
  SocketConnection,
} from './connection.ts'
import { serialiseRefusal } from './frames.ts'
import { enter, type JoinParts } from './join.ts'
import { type MessageLoopParts, openMessageLoop } from './message-loop.ts'
import type { Places } from './places.ts'
import { Session } from './session.ts'
import { type ConnectionTrace, type TraceParts, traceConnection } from './trace.ts'
import type { Users } from './users.ts'

export interface HandshakeParts extends ConnectionParts, JoinParts, MessageLoopParts, TraceParts {
  readonly users: Users
  readonly people: ProfileLoader
  readonly log: Logger
  readonly clientAddress: ClientAddress
  readonly limits: AddressLimits
  readonly places: Pick<Places, 'heard' | 'signIn'>
  readonly authTimeoutMs: number
}

export type AuthFrame = Extract<ClientFrame, { type: 'auth' }>

/** Beyond these the socket is not read until some are answered. */
const maxCalls = 16

/** Takes a fresh socket: its first frame says who it is. */
export function receive(
  parts: HandshakeParts,
  ws: WebSocket,
  socket: Duplex,
  request: IncomingMessage,
): Connection {
  const connection = new SocketConnection(ws, socket, parts)
  // Read now: whatever refers to the request keeps it for as long as the socket lives.
  const claim = claimOf(parts.clientAddress, request)
  const trace = traceConnection(parts, connection, claim, 'websocket')
  const late = setTimeout(() => connection.close('notAuthenticated'), parts.authTimeoutMs)
  let conversing: ReturnType<typeof openMessageLoop> | undefined
  let greeted = false

  const count = (chunk: Buffer) => parts.places.heard(connection, chunk.length)
  socket.on('data', count)

  async function greet(frame: AuthFrame): Promise<void> {
    clearTimeout(late)
    const session = await authenticate({ ...parts, connection, trace }, claim, frame)
    socket.off('data', count)
    if (!session) return
    // It may speak once it is welcome, which is before it has caught up.
    conversing = openMessageLoop(parts, session)
    await letIn(parts, session, frame)
  }

  function hear(frame: ClientFrame): void {
    if (conversing) {
      conversing.hear(frame)
      if (conversing.waiting >= maxCalls) pauseUntilAnswered(ws, conversing)
    } else if (frame.type === 'auth' && !greeted) {
      greeted = true
      greet(frame).catch((error) => {
        parts.log.error({ err: error }, 'could not authenticate a device; its connection is closed')
        connection.close('overloaded')
      })
    } else connection.close(greeted ? 'badFrame' : 'notAuthenticated')
  }

  ws.on('message', (data: RawData) => {
    connection.heardAt = performance.now()
    if (!connection.isOpen) return
    try {
      hear(readFrame(data))
    } catch (error) {
      connection.say(serialiseRefusal(undefined, failureOf(error, '', parts.log).body()))
      connection.close('badFrame')
    }
  })
  ws.on('pong', () => {
    connection.heardAt = performance.now()
  })
  // The library closes the socket itself; unheard, the event would end the process.
  ws.on('error', () => undefined)
  ws.once('close', () => clearTimeout(late))
  return connection
}

export async function letIn(
  parts: HandshakeParts,
  session: Session,
  { positions }: AuthFrame,
): Promise<void> {
  try {
    await parts.people.arrive(session)
    await enter(parts, session, positions)
  } catch (error) {
    parts.log.error(
      { err: error },
      'could not open the session of a device; its connection is closed',
    )
    session.connection.close('overloaded')
  }
}

/** Undefined: it was refused, and told why. */
export async function authenticate(
  parts: HandshakeParts & { readonly connection: Connection; readonly trace: ConnectionTrace },
  { credentials: named, address }: Claim,
  { authToken, presence }: AuthFrame,
): Promise<Session | undefined> {
  const { connection, trace } = parts
  const credentials = { ...named, authToken }
  try {
    const identity = await parts.limits.identify(address, credentials, () =>
      parts.users.authenticate(credentials),
    )
    if (!connection.isOpen) return undefined
    const session = new Session(identity, { credentials, address }, connection, presence)
    if (parts.places.signIn(connection) && parts.people.admit(session)) {
      trace.signedIn(identity)
      return session
    }
    trace.refused('tooManyConnections')
    connection.close('tooManyConnections')
    return undefined
  } catch (error) {
    const failure = failureOf(error, '', parts.log)
    trace.refused(failure.code)
    connection.say(serialiseRefusal(undefined, failure.body()))
    connection.close(reasonOf(failure))
    return undefined
  }
}

function reasonOf({ status }: Failure): CloseReason {
  if (status >= 500 || status === 429) return 'overloaded'
  return status === 403 ? 'forbidden' : 'notAuthenticated'
}

/** Whoever asks faster than is answered is heard later. */
function pauseUntilAnswered(ws: WebSocket, conversing: { readonly waiting: number }): void {
  ws.pause()
  const again = setInterval(() => {
    if (conversing.waiting >= maxCalls / 2 && ws.readyState === ws.OPEN) return
    clearInterval(again)
    ws.resume()
  }, 10)
}
