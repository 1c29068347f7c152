import type { ClientFrame, ServerFrame, User } from '../contract.generated.ts'
import { type Backoff, delayOf } from './backoff.ts'

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'online'; readonly user: User }
  | { readonly state: 'waiting'; readonly retryInMs: number }
  /** For good: by `close`, or because the service does not want this device. */
  | { readonly state: 'closed'; readonly code: number; readonly reason: string }

type Welcome = Extract<ServerFrame, { type: 'welcome' }>

export interface LinkParts {
  readonly url: string
  readonly WebSocket: new (url: string) => WebSocket
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
    this.#end(ownClose, '')
  }

  #wait(ms: number, then: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(then, ms)
  }

  #open(): void {
    const ws = new this.#parts.WebSocket(this.#parts.url)
    this.#socket = ws
    this.#pauseMs = 0
    this.#parts.onState({ state: 'connecting' })
    this.#wait(this.#parts.handshakeMs, () => this.#abandon())
    ws.onopen = () => void this.#greet(ws)
    ws.onmessage = ({ data }) => {
      if (this.#socket !== ws) return
      const frame = read(data)
      if (frame) this.#hear(frame)
      else this.#abandon()
    }
    ws.onclose = ({ code, reason }) => {
      if (this.#socket === ws) this.#lose(code, reason)
    }
  }

  async #greet(ws: WebSocket): Promise<void> {
    try {
      const frame = await this.#parts.greeting()
      if (this.#socket === ws) ws.send(JSON.stringify(frame))
    } catch {
      if (this.#socket === ws) this.#abandon()
    }
  }

  #hear(frame: ServerFrame): void {
    this.#isSilent = false
    if (frame.type === 'welcome') {
      this.#online = true
      const everyMs = frame.heartbeatMs / 2
      this.#wait(everyMs, () => this.#beat(everyMs))
      this.#parts.onWelcome(frame)
      this.#parts.onState({ state: 'online', user: frame.user })
    } else if (frame.type === 'pong') {
      // Only a connection that lasts ends a row of failures.
      this.#attempt = 0
    } else {
      if (frame.type === 'goodbye') this.#pauseMs = frame.retryAfterMs ?? 0
      this.#parts.onFrame(frame)
    }
  }

  #beat(everyMs: number): void {
    this.#isSilent = true
    this.say({ type: 'ping' })
    this.#wait(everyMs, () => (this.#isSilent ? this.#abandon() : this.#beat(everyMs)))
  }

  /** The other side may be gone without a word, so its answer to the close is not waited for. */
  #abandon(): void {
    const ws = this.#socket
    this.#lose(noAnswer, '')
    ws?.close()
  }

  #lose(code: number, reason: string): void {
    this.#leave()
    if (isFinal(code)) this.#end(code, reason)
    else {
      if (isForLater(code)) this.#attempt = Math.max(this.#attempt, attemptsOfLater)
      const retryInMs = this.#pauseMs + delayOf(this.#attempt++, this.#parts.backoff)
      this.#wait(retryInMs, () => this.#open())
      this.#parts.onState({ state: 'waiting', retryInMs })
    }
  }

  #leave(): void {
    this.#socket = undefined
    clearTimeout(this.#timer)
    if (this.#online) this.#parts.onLost()
    this.#online = false
  }

  #end(code: number, reason: string): void {
    this.#closed = true
    this.#parts.onState({ state: 'closed', code, reason })
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
  return code >= 4400 && code < 4500 && !isForLater(code)
}

function isForLater(code: number): boolean {
  return code === 4429 || (code >= 4500 && code < 4600)
}
