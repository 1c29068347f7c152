import type { ClientFrame, ServerFrame } from '@chorale/contract/frames'
import { type Backoff, delayOf } from './backoff.ts'

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'online' }
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
  let socket: WebSocket | undefined
  let online = false
  let closed = false
  let attempt = 0
  let pauseMs = 0
  let isSilent = false
  // One at a time: until the welcome, until the next ping, or until the next attempt.
  let timer: ReturnType<typeof setTimeout> | undefined

  const wait = (ms: number, then: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(then, ms)
  }

  function open(): void {
    const ws = new parts.WebSocket(parts.url)
    socket = ws
    pauseMs = 0
    parts.onState({ state: 'connecting' })
    wait(parts.handshakeMs, abandon)
    ws.onopen = () => void greet(ws)
    ws.onmessage = ({ data }) => {
      if (socket !== ws) return
      const frame = read(data)
      if (frame) hear(frame)
      else abandon()
    }
    ws.onclose = ({ code, reason }) => {
      if (socket === ws) lose(code, reason)
    }
  }

  async function greet(ws: WebSocket): Promise<void> {
    try {
      const frame = await parts.greeting()
      if (socket === ws) ws.send(JSON.stringify(frame))
    } catch {
      if (socket === ws) abandon()
    }
  }

  function hear(frame: ServerFrame): void {
    isSilent = false
    if (frame.type === 'welcome') {
      online = true
      wait(frame.heartbeatMs / 2, () => beat(frame.heartbeatMs / 2))
      parts.onWelcome(frame)
      parts.onState({ state: 'online' })
    } else if (frame.type === 'pong') {
      // Only a connection that lasts ends a row of failures.
      attempt = 0
    } else {
      if (frame.type === 'goodbye') pauseMs = frame.retryAfterMs ?? 0
      parts.onFrame(frame)
    }
  }

  function beat(everyMs: number): void {
    isSilent = true
    say({ type: 'ping' })
    wait(everyMs, () => (isSilent ? abandon() : beat(everyMs)))
  }

  /** The other side may be gone without a word, so its answer to the close is not waited for. */
  function abandon(): void {
    const ws = socket
    lose(noAnswer, '')
    ws?.close()
  }

  function lose(code: number, reason: string): void {
    leave()
    if (isFinal(code)) end(code, reason)
    else {
      if (isForLater(code)) attempt = Math.max(attempt, attemptsOfLater)
      const retryInMs = pauseMs + delayOf(attempt++, parts.backoff)
      wait(retryInMs, open)
      parts.onState({ state: 'waiting', retryInMs })
    }
  }

  function leave(): void {
    socket = undefined
    clearTimeout(timer)
    if (online) parts.onLost()
    online = false
  }

  function end(code: number, reason: string): void {
    closed = true
    parts.onState({ state: 'closed', code, reason })
  }

  function say(frame: ClientFrame): boolean {
    if (!online || !socket) return false
    socket.send(JSON.stringify(frame))
    return true
  }

  open()
  return {
    get isOnline() {
      return online
    },
    say,
    retryNow() {
      if (!closed && !socket) wait(0, open)
    },
    close() {
      if (closed) return
      const ws = socket
      leave()
      ws?.close(ownClose)
      end(ownClose, '')
    },
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
