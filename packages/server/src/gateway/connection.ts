import type { Duplex } from 'node:stream'
import { setTimeout as after } from 'node:timers/promises'
import { closeCodes } from '@chorale/contract/frames'
import type { WebSocket } from 'ws'
import { framed } from './frames.ts'

export type CloseReason = keyof typeof closeCodes

export interface ConnectionParts {
  /** What may wait to be sent before the reader counts as too slow. */
  readonly queueBytes: number
  onSent(frames: number): void
  onClosed(reason: CloseReason | 'client'): void
}

const drainPollMs = 20
const drainMs = 30_000
/** For the other side to answer a close. */
const farewellMs = 5000

/** A socket with a bounded queue. Reading is left to the library, writing is not: one buffer serves many. */
export class Connection {
  readonly #ws: WebSocket
  readonly #socket: Duplex
  readonly #parts: ConnectionParts
  #closing = false
  /** When it was last heard. */
  heardAt = performance.now()
  readonly closed: Promise<void>

  constructor(ws: WebSocket, socket: Duplex, parts: ConnectionParts) {
    this.#ws = ws
    this.#socket = socket
    this.#parts = parts
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    ws.once('close', () => {
      if (!this.#closing) parts.onClosed('client')
      this.#closing = true
      resolve()
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

  /** Resolves when there is room again; a reader that makes none is closed. */
  async room(): Promise<void> {
    const endsAt = performance.now() + drainMs
    while (this.isOpen && this.#socket.writableLength > this.#parts.queueBytes / 2) {
      if (performance.now() > endsAt) return this.close('tooSlow')
      await after(drainPollMs)
    }
  }

  close(reason: CloseReason): void {
    if (this.#closing) return
    this.#closing = true
    this.#parts.onClosed(reason)
    this.#ws.close(closeCodes[reason], reason)
    setTimeout(() => this.#ws.terminate(), farewellMs).unref()
  }
}
