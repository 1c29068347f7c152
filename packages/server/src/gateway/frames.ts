import type { ErrorBody } from '@chorale/contract/errors'
import type { Position, ServerFrame } from '@chorale/contract/frames'
import { rawObject } from '../pipeline/raw-json.ts'

const text = 0x81

/** A whole WebSocket message of a server, built once for however many sockets. */
export function framed(message: string): Buffer {
  const length = Buffer.byteLength(message)
  const headerLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headerLength + length)
  frame[0] = text
  if (length < 126) frame[1] = length
  else if (length < 65_536) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(message, headerLength)
  return frame
}

/** The messages of such frames, one behind the other, for a wire of another kind. */
export function* unframed(frames: Buffer): Iterable<string> {
  for (let place = 0; place < frames.length; ) {
    const short = frames.readUInt8(place + 1)
    const start = place + (short < 126 ? 2 : short === 126 ? 4 : 10)
    const length =
      short < 126
        ? short
        : short === 126
          ? frames.readUInt16BE(place + 2)
          : Number(frames.readBigUInt64BE(place + 2))
    place = start + length
    yield frames.toString('utf8', start, place)
  }
}

export function print(frame: ServerFrame): string {
  return JSON.stringify(frame)
}

/** Put together by hand: the message is JSON text already. */
export function serialiseEntryFrame(
  type: 'message' | 'changed',
  label: string,
  { seq, change }: Position,
  message: string,
): string {
  return `{"type":"${type}","conversationId":"${label}","seq":${seq},"change":${change},"message":${message}}`
}

export function serialiseWelcome(
  user: string,
  heartbeatMs: number,
  positions: Readonly<Record<string, Position>>,
): string {
  return rawObject({ type: 'welcome', heartbeatMs, positions }, { user })
}

export function serialiseAnswer(id: string, body: string): string {
  return rawObject({ type: 'answer', id }, { body })
}

export function serialiseRefusal(id: string | undefined, { error }: ErrorBody): string {
  const { source: _, ...shown } = error
  return JSON.stringify({ type: 'refusal', ...(id !== undefined && { id }), error: shown })
}
