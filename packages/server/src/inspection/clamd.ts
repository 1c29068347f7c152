import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Readable } from 'node:stream'

/** A virus scanner that speaks the protocol of clamd. */
export interface Scanner {
  /** Undefined: nothing was found. Throws where nobody can say. */
  scan(bytes: Readable): Promise<string | undefined>
  /** Throws what is wrong with it. */
  ping(): Promise<void>
}

export interface ClamdOptions {
  /** A path as in `/run/clamav/clamd.ctl`, or a host and a port as in `clamav:3310`. */
  readonly address: string
  /** Without a byte from it. */
  readonly timeoutMs: number
}

/** It was there, and has ended or closed the connection over these bytes. */
export class ScannerBroken extends Error {}

const maxAnswer = 4096

export function openClamd({ address, timeoutMs }: ClamdOptions): Scanner {
  async function converse(talk: (socket: Socket) => Promise<void>): Promise<string> {
    const socket = address.startsWith('/') ? connect(address) : connect(placeOf(address))
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('ClamAV does not answer.')))
    try {
      const answer = answerOf(socket)
      answer.catch(() => undefined)
      await once(socket, 'connect')
      const talking = talk(socket)
      talking.catch(() => undefined)
      // It may answer, and close, before it has heard everything.
      await Promise.race([talking, answer])
      return await answer
    } finally {
      socket.destroy()
    }
  }

  return {
    async scan(bytes) {
      const answer = await converse((socket) => stream(bytes, socket)).finally(() =>
        bytes.destroy(),
      )
      if (answer === 'stream: OK') return undefined
      const [, found] = /^stream: (.+) FOUND$/.exec(answer) ?? []
      if (found === undefined) throw new Error(`ClamAV answered: ${answer}`)
      return found
    },
    async ping() {
      const answer = await converse(async (socket) => void socket.write('zPING\0'))
      if (answer !== 'PONG') throw new Error(`ClamAV answered: ${answer}`)
    },
  }
}

async function stream(bytes: Readable, socket: Socket): Promise<void> {
  socket.write('zINSTREAM\0')
  for await (const chunk of bytes) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(chunk.length)
    if (socket.destroyed) return
    socket.write(length)
    if (!socket.write(chunk)) await once(socket, 'drain')
  }
  socket.write(Buffer.alloc(4))
}

async function answerOf(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) {
    text += chunk.toString('latin1')
    if (text.includes('\0') || text.length > maxAnswer) break
  }
  const [answer = ''] = text.split('\0')
  if (answer === '') throw new ScannerBroken('ClamAV has closed the connection.')
  return answer.trim()
}

function placeOf(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':')
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
}
