import type { Duplex } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { closeCodes } from '@chorale/contract/frames'
import type { WebSocket } from 'ws'
import { framed } from './frames.ts'

export type CloseReason = keyof typeof closeCodes

/** A way to a device with a bounded queue. */
export interface Connection {
  readonly isOpen: boolean
  /** Why. */
  readonly closed: Promise<CloseReason | 'client'>
  /** When the device was last heard. */
  readonly heardAt: number
  /** Frames of `framed`, one behind the other. */
  write(frames: Buffer, count: number): void
  say(text: string): void
  /** Resolves when there is room again; a reader that makes none is closed. */
  room(): Promise<void>
  close(reason: CloseReason): void
}

export interface ConnectionParts {
  /** What may wait to be sent before the reader counts as too slow. */
  readonly queueBytes: number
  onSent(frames: number): void
  onClosed(reason: CloseReason | 'client'): void
}

const drainPollMs = 20
const drainMs = 30_000
/** For the other side to answer a close. */
const closingMs = 5000

/** Reading is left to the library, writing is not: one buffer serves many. */
export class SocketConnection implements Connection {
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #parts: ConnectionParts
  #closing = false
  #reason: CloseReason | 'client' = 'client'
  heardAt = performance.now()
  readonly closed: Promise<CloseReason | 'client'>

  constructor(ws: WebSocket, socket: Duplex, parts: ConnectionParts) {
    this.#ws = ws
    this.#socket = socket
    this.#parts = parts
    const { promise, resolve } = Promise.withResolvers<CloseReason | 'client'>()
    this.closed = promise
    ws.once('close', () => {
      if (!this.#closing) parts.onClosed('client')
      this.#closing = true
      resolve(this.#reason)
    })
  }

  get isOpen(): boolean {
    return !this.#closing
  }

  write(frames: Buffer, count: number): void {
    if (this.#closing || !this.#socket.writable) return
    if (this.#socket.writableLength > this.#parts.queueBytes) {
      this.close('tooSlow')
      return
    }
    this.#socket.write(frames)
    this.#parts.onSent(count)
  }

  say(text: string): void {
    this.write(framed(text), 1)
  }

  async room(): Promise<void> {
    await roomIn(this, this.#socket, this.#parts.queueBytes / 2)
  }

  close(reason: CloseReason): void {
    if (this.#closing) return
    this.#closing = true
    this.#reason = reason
    this.#parts.onClosed(reason)
    this.#ws.close(closeCodes[reason], reason)
    setTimeout(() => this.#ws.terminate(), closingMs).unref()
  }
}

/** Waits until no more than this is left to be sent. */
export async function roomIn(
  connection: Connection,
  stream: { readonly writableLength: number },
  bytes: number,
): Promise<void> {
  const endsAt = performance.now() + drainMs
  while (connection.isOpen && stream.writableLength > bytes) {
    if (performance.now() > endsAt) connection.close('tooSlow')
    else await after(drainPollMs)
  }
}
