import { connect, type Socket } from 'node:net'

// A WebSocket client that knows as little as possible: ten thousand of them must cost less than
// what they measure.

export interface RawDeviceOptions {
  readonly origin: string
  readonly appId: string
  /** The first thing it says. */
  readonly auth: string
  /** A text message of the server lies between these two places; the bytes are used again. */
  onFrame(bytes: Buffer, start: number, end: number): void
  onClosed(): void
}

const text = 0x81
const masked = 0x80
/** All sockets of the process are read into this, one after the other. */
const room = Buffer.allocUnsafe(262_144)

/** Resolves with the first frame of the server. */
export function openRawDevice(options: RawDeviceOptions): Promise<Socket> {
  const { hostname, port, host } = new URL(options.origin)
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  let upgraded = false
  let rest = Buffer.alloc(0)

  const onFrame = (bytes: Buffer, start: number, end: number) => {
    options.onFrame(bytes, start, end)
    resolve(socket)
  }
  const take = (bytes: Buffer): number => {
    if (upgraded) return eachFrame(bytes, onFrame)
    const end = bytes.indexOf('\r\n\r\n') + 4
    if (end < 4) return 0
    upgraded = true
    if (bytes.toString('latin1', 9, 12) !== '101') socket.destroy()
    else socket.write(frameOf(options.auth))
    return end + eachFrame(bytes.subarray(end), onFrame)
  }
  const read = (length: number) => {
    const fresh = room.subarray(0, length)
    const bytes = rest.length === 0 ? fresh : Buffer.concat([rest, fresh])
    const taken = take(bytes)
    if (taken < bytes.length || rest.length > 0) rest = Buffer.from(bytes.subarray(taken))
    return true
  }
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: { buffer: room, callback: read },
  })
  socket.write(
    `GET /v3?appId=${options.appId} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  socket.on('error', () => undefined)
  socket.once('close', () => {
    reject(new Error('The server closed a socket.'))
    options.onClosed()
  })
  return promise
}

/** Returns how far there were whole frames. */
function eachFrame(bytes: Buffer, onFrame: RawDeviceOptions['onFrame']): number {
  let at = 0
  while (bytes.length - at >= 2) {
    const short = bytes.readUInt8(at + 1)
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
    if (bytes.length < start) break
    const end = start + lengthOf(bytes, at + 2, short)
    if (bytes.length < end) break
    if (bytes[at] === text) onFrame(bytes, start, end)
    at = end
  }
  return at
}

function lengthOf(bytes: Buffer, at: number, short: number): number {
  if (short < 126) return short
  return short === 126 ? bytes.readUInt16BE(at) : Number(bytes.readBigUInt64BE(at))
}

/** A client must mask what it says; nobody forbids a mask of zeros. */
function frameOf(message: string): Buffer {
  const length = Buffer.byteLength(message)
  const header = Buffer.of(text, masked | 126, length >> 8, length & 255, 0, 0, 0, 0)
  return Buffer.concat([header, Buffer.from(message)])
}
