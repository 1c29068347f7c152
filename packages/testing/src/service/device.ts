import type { Position, ServerFrame } from '@chorale/contract/frames'
import { expect } from 'vitest'
import { WebSocket } from 'ws'

type Type = ServerFrame['type']
type Of<N extends Type> = Extract<ServerFrame, { type: N }>

/** A device of a user, at the wire. */
export interface Device extends AsyncDisposable {
  readonly ws: WebSocket
  /** All it has heard so far, in order. */
  readonly heard: ServerFrame[]
  send(frame: object): void
  of<N extends Type>(type: N): Of<N>[]
  /** The next frame of this type that no earlier call has returned. */
  next<N extends Type>(type: N): Promise<Of<N>>
  /** The texts of the messages it was shown, in order. */
  texts(): (string | undefined)[]
  /** Where the device stands, from all that it heard. */
  positions(): Record<string, Position>
  /** The code with which it was closed. */
  readonly closed: Promise<number>
}

export interface DeviceOptions {
  readonly origin: string
  readonly appId?: string
  readonly host?: string
  readonly authToken?: string
  readonly positions?: Record<string, Position>
  readonly presence?: object
  readonly headers?: Record<string, string>
  readonly path?: string
}

const wait = { timeout: 15_000, interval: 5 }

/** Connects; with a token it also says who it is, and is there once it has been welcomed. */
export async function connectDevice(options: DeviceOptions): Promise<Device> {
  const { origin, appId, authToken, positions, presence, path = '/v3', headers = {} } = options
  const query = appId ? `?appId=${appId}` : ''
  const ws = new WebSocket(`${origin.replace('http', 'ws')}${path}${query}`, {
    headers: { ...headers, ...(options.host && { host: options.host }) },
  })
  const heard: ServerFrame[] = []
  ws.on('message', (data) => heard.push(JSON.parse(String(data))))
  const closed = new Promise<number>((resolve) => ws.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve)
    ws.once('error', reject)
  })
  ws.on('error', () => undefined)
  const taken = new Map<Type, number>()
  const of = <N extends Type>(type: N) => heard.filter((f): f is Of<N> => f.type === type)
  const device: Device = {
    ws,
    heard,
    send: (frame) => ws.send(JSON.stringify(frame)),
    of,
    async next(type) {
      const place = taken.get(type) ?? 0
      taken.set(type, place + 1)
      await expect.poll(() => of(type).length, wait).toBeGreaterThan(place)
      const frame = of(type)[place]
      if (!frame) throw new Error('It was there.')
      return frame
    },
    texts: () => of('message').map(({ message }) => textOf(message.data)),
    positions: () => positionsOf(heard, positions ?? {}),
    closed,
    async [Symbol.asyncDispose]() {
      ws.terminate()
      await closed
    },
  }
  if (authToken === undefined) return device
  device.send({ type: 'auth', authToken, positions, presence })
  await expect.poll(() => heard.length > 0 || ws.readyState === WebSocket.CLOSED, wait).toBe(true)
  return device
}

function textOf(data: object): string | undefined {
  return 'text' in data ? String(data.text) : undefined
}

/** As a device keeps them: what it has, moved on by what it hears. */
function positionsOf(heard: readonly ServerFrame[], given: Record<string, Position>) {
  const positions = { ...given }
  for (const frame of heard) {
    if (frame.type === 'welcome') {
      for (const [label, position] of Object.entries(frame.positions)) positions[label] ??= position
    } else if (frame.type === 'message' || frame.type === 'changed') {
      const { conversationId, seq, change } = frame
      const known = positions[conversationId] ?? { seq: 0, change: 0 }
      positions[conversationId] = {
        seq: Math.max(known.seq, seq),
        change: Math.max(known.change, change),
      }
    } else if (frame.type === 'reload') positions[frame.conversationId] = frame.position
    else if (frame.type === 'left') delete positions[frame.conversationId]
  }
  return positions
}
