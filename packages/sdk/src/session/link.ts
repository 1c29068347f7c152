import type { ClientFrame, ServerFrame, User } from '../contract.generated.ts'
import type { ErrorBody } from '../errors.ts'
import { type Backoff, delayOf } from './backoff.ts'
import {
  type ClosedReason,
  closedReason,
  errorOf,
  isWrongPath,
  statusIn,
  type WaitingReason,
  waitingReason,
} from './link-reasons.ts'

/** Whether there is a connection, and the reason. */
export type ConnectionState =
  | { readonly state: 'connecting'; readonly reason: 'start' | 'retry' }
  | { readonly state: 'online'; readonly reason: 'signedIn'; readonly user: User }
  | {
      readonly state: 'waiting'
      readonly reason: WaitingReason
      readonly retryInMs: number
      readonly error?: Error
    }
  /** For good: by `close`, or because another attempt would end like this one. */
  | {
      readonly state: 'closed'
      readonly reason: ClosedReason
      /** Of the WebSocket, or of HTTP where none was opened. */
      readonly code: number
      readonly error?: Error
    }

type Welcome = Extract<ServerFrame, { type: 'welcome' }>

export interface LinkParts {
  readonly url: string
  readonly WebSocket: new (url: string) => WebSocket
  readonly fetch: typeof fetch | undefined
  /** Another token can be had, if this one is not taken. */
  readonly mayRefresh: boolean
  readonly backoff: Backoff
  /** For the way from the first byte to the welcome. */
  readonly handshakeMs: number
  greeting(): Promise<ClientFrame>
  onState(state: ConnectionState): void
  onWelcome(frame: Welcome): void
  onFrame(frame: Exclude<ServerFrame, Welcome>): void
  onLost(): void
}

/** A connection that comes back by itself. */
export interface Link {
  readonly isOnline: boolean
  /** False: there is no connection, and nothing was said. */
  say(frame: ClientFrame): boolean
  /** Does not wait any longer. */
  retryNow(): void
  close(): void
}

/** As if that many attempts had failed already. */
const attemptsOfLater = 4
/** No close code of any server: we have left ourselves. */
const ownClose = 1000
const noAnswer = 1006
/** Of HTTP, before there is a WebSocket. */
const [forbidden, notFound] = [403, 404]
const notAuthenticated = 4401
/** After this many attempts that opened nothing, and then every so often, the path is checked. */
const attemptsBeforeCheck = 2

export function openLink(parts: LinkParts): Link {
  return new SocketLink(parts)
}

class SocketLink implements Link {
  readonly #parts: LinkParts
  #socket: WebSocket | undefined
  #online = false
  #closed = false
  #attempt = 0
  #pauseMs = 0
  #isSilent = false
  #wasOnline = false
  #isRefreshed = false
  /** Attempts in a row that opened nothing. */
  #unopened = 0
  /** What the service said before it closed. */
  #refusal: ErrorBody['error'] | undefined
  /** One at a time: until the welcome, until the next ping, or until the next attempt. */
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: LinkParts) {
    this.#parts = parts
    this.#open()
  }

  get isOnline(): boolean {
    return this.#online
  }

  say(frame: ClientFrame): boolean {
    if (!this.#online || !this.#socket) return false
    this.#socket.send(JSON.stringify(frame))
    return true
  }

  retryNow(): void {
    if (!this.#closed && !this.#socket) this.#wait(0, () => this.#open())
  }

  close(): void {
    if (this.#closed) return
    const ws = this.#socket
    this.#leave()
    ws?.close(ownClose)
    this.#end(ownClose)
  }

  #wait(ms: number, then: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(then, ms)
  }

  #open(): void {
    const ws = new this.#parts.WebSocket(this.#parts.url)
    this.#socket = ws
    this.#pauseMs = 0
    this.#refusal = undefined
    this.#unopened++
    let status = noAnswer
    this.#parts.onState({ state: 'connecting', reason: this.#attempt > 0 ? 'retry' : 'start' })
    this.#wait(this.#parts.handshakeMs, () => this.#abandon('noAnswer'))
    ws.onopen = () => {
      this.#unopened = 0
      void this.#greet(ws)
    }
    ws.onerror = (event) => {
      status = statusIn(event) ?? status
    }
    ws.onmessage = ({ data }) => {
      if (this.#socket !== ws) return
      const frame = read(data)
      if (frame) this.#hear(frame)
      else this.#abandon('badAnswer')
    }
    ws.onclose = ({ code }) => {
      if (this.#socket === ws) this.#lose(this.#unopened > 0 ? status : code)
    }
  }

  async #greet(ws: WebSocket): Promise<void> {
    try {
      const frame = await this.#parts.greeting()
      if (this.#socket === ws) ws.send(JSON.stringify(frame))
    } catch (error) {
      if (this.#socket === ws) this.#abandon('noToken', error as Error)
    }
  }

  #hear(frame: ServerFrame): void {
    this.#isSilent = false
    if (frame.type === 'welcome') {
      this.#online = true
      this.#wasOnline = true
      this.#isRefreshed = false
      const everyMs = frame.heartbeatMs / 2
      this.#wait(everyMs, () => this.#beat(everyMs))
      this.#parts.onWelcome(frame)
      this.#parts.onState({ state: 'online', reason: 'signedIn', user: frame.user })
    } else if (frame.type === 'pong') {
      // Only a connection that lasts ends a row of failures.
      this.#attempt = 0
    } else {
      if (frame.type === 'refusal' && frame.id === undefined) this.#refusal = frame.error
      if (frame.type === 'goodbye') this.#pauseMs = frame.retryAfterMs ?? 0
      this.#parts.onFrame(frame)
    }
  }

  #beat(everyMs: number): void {
    this.#isSilent = true
    this.say({ type: 'ping' })
    this.#wait(everyMs, () => (this.#isSilent ? this.#abandon('noAnswer') : this.#beat(everyMs)))
  }

  /** The other side may be gone without a word, so its answer to the close is not waited for. */
  #abandon(reason: WaitingReason, error?: Error): void {
    const ws = this.#socket
    this.#leave()
    this.#comeAgain({ reason, ...(error && { error }) })
    ws?.close()
  }

  #lose(code: number): void {
    const wasOpen = this.#unopened === 0
    this.#leave()
    if (code === notAuthenticated && this.#mayRefresh()) {
      this.#isRefreshed = true
      this.#comeAgain({ reason: 'newToken', ...errorOf(this.#refusal) })
    } else if (isFinal(code)) this.#end(code)
    else {
      if (isForLater(code)) this.#attempt = Math.max(this.#attempt, attemptsOfLater)
      this.#comeAgain({ reason: waitingReason(code, wasOpen), ...errorOf(this.#refusal) })
      if (this.#unopened % attemptsOfLater === attemptsBeforeCheck) void this.#checkPath()
    }
  }

  /** Once for each token: a second refusal is meant. */
  #mayRefresh(): boolean {
    const isOfApp = closedReason(notAuthenticated, this.#refusal) !== 'notAuthenticated'
    return this.#parts.mayRefresh && !this.#isRefreshed && !isOfApp
  }

  #comeAgain(why: { readonly reason: WaitingReason; readonly error?: Error }): void {
    const retryInMs = this.#pauseMs + delayOf(this.#attempt++, this.#parts.backoff)
    this.#wait(retryInMs, () => this.#open())
    this.#parts.onState({ state: 'waiting', retryInMs, ...why })
  }

  /** A path that has worked is not wrong, whatever somebody in between answers now. */
  async #checkPath(): Promise<void> {
    if (this.#wasOnline || !(await isWrongPath(this.#parts.url, this.#parts.fetch))) return
    if (this.#closed || this.#unopened === 0) return
    const ws = this.#socket
    this.#leave()
    this.#end(notFound)
    ws?.close()
  }

  #leave(): void {
    this.#socket = undefined
    clearTimeout(this.#timer)
    if (this.#online) this.#parts.onLost()
    this.#online = false
  }

  #end(code: number): void {
    const reason = closedReason(code, this.#refusal)
    this.#closed = true
    this.#parts.onState({ state: 'closed', reason, code, ...errorOf(this.#refusal) })
  }
}

/** Undefined: somebody in between speaks another language. */
function read(data: unknown): ServerFrame | undefined {
  try {
    return JSON.parse(String(data))
  } catch {
    return undefined
  }
}

// The ranges of `closeCodes` in the contract.

function isFinal(code: number): boolean {
  if (code === forbidden || code === notFound) return true
  return code >= 4400 && code < 4500 && !isForLater(code)
}

function isForLater(code: number): boolean {
  return code === 4429 || (code >= 4500 && code < 4600)
}
