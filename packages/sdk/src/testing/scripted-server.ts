import { type WebSocket, WebSocketServer } from 'ws'
import type { ClientFrame, ServerFrame } from '../contract.generated.ts'

type FrameOf<N extends ClientFrame['type']> = Extract<ClientFrame, { type: N }>
type Positions = Extract<ServerFrame, { type: 'welcome' }>['positions']

/** One connection, as the other side of the protocol sees it. */
export interface Peer {
  /** The address that was asked for. */
  readonly path: string
  /** The next frame of this kind; others stay for whoever asks for them. */
  next<N extends ClientFrame['type']>(type: N): Promise<FrameOf<N>>
  say(...frames: readonly ServerFrame[]): void
  sayText(text: string): void
  welcome(positions?: Positions, heartbeatMs?: number): Promise<FrameOf<'auth'>>
  /** Answers the next call of this operation, and returns what was asked. */
  answer(operation: string, body: unknown): Promise<FrameOf<'call'>>
  close(code: number): void
  /** As when a cable is pulled. */
  drop(): void
  /** Pings stay without an answer. */
  mute(): void
}

/** Plays the service, word by word as a test tells it. */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  /** The next connection. */
  accept(): Promise<Peer>
}

export async function startScriptedServer(): Promise<ScriptedServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise((resolve) => server.once('listening', resolve))
  const peers = openQueue<Peer>()
  server.on('connection', (socket, { url = '' }) => peers.put(peerOf(socket, url)))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server has no port.')
  return {
    url: `ws://127.0.0.1:${address.port}/v3/realtime`,
    accept: () => peers.take(() => true),
    async [Symbol.asyncDispose]() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const ann = {
  uid: 'ann',
  name: 'Ann',
  role: 'default',
  status: 'available',
  createdAt: 1,
} as const

function peerOf(socket: WebSocket, path: string): Peer {
  const heard = openQueue<ClientFrame>()
  let isMute = false
  const say = (...frames: readonly ServerFrame[]) => {
    for (const frame of frames) socket.send(JSON.stringify(frame))
  }
  const next: Peer['next'] = async (type) => {
    const found = await heard.take((frame) => frame.type === type)
    // It has the type that was looked for.
    return found as FrameOf<typeof type>
  }
  socket.on('message', (data) => {
    const frame: ClientFrame = JSON.parse(String(data))
    if (frame.type === 'ping' && !isMute) say({ type: 'pong' })
    heard.put(frame)
  })
  socket.on('error', () => undefined)
  return {
    path,
    next,
    say,
    sayText: (text) => socket.send(text),
    async welcome(positions = {}, heartbeatMs = 60_000) {
      const auth = await next('auth')
      say({ type: 'welcome', user: ann, heartbeatMs, positions })
      return auth
    },
    async answer(operation, body) {
      const isIt = (frame: ClientFrame) => frame.type === 'call' && frame.operation === operation
      // Only calls were looked for.
      const call = (await heard.take(isIt)) as FrameOf<'call'>
      say({ type: 'answer', id: call.id, body })
      return call
    },
    close: (code) => socket.close(code),
    drop: () => socket.terminate(),
    mute() {
      isMute = true
    },
  }
}

interface Queue<T> {
  put(item: T): void
  take(wanted: (item: T) => boolean): Promise<T>
}

function openQueue<T>(): Queue<T> {
  const items: T[] = []
  const waiting: { wanted: (item: T) => boolean; resolve: (item: T) => void }[] = []
  return {
    put(item) {
      const place = waiting.findIndex(({ wanted }) => wanted(item))
      const [waiter] = place < 0 ? [] : waiting.splice(place, 1)
      if (waiter) waiter.resolve(item)
      else items.push(item)
    },
    take(wanted) {
      const place = items.findIndex(wanted)
      const [item] = place < 0 ? [] : items.splice(place, 1)
      if (item !== undefined) return Promise.resolve(item)
      return new Promise((resolve) => waiting.push({ wanted, resolve }))
    },
  }
}
