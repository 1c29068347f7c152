import type { Device } from '../check/observed.ts'
import { outside, ports } from '../rig/layout.ts'
import { conversationOf } from './sends.ts'
import type { World } from './world.ts'

const pingMs = 5000
const silentMs = 20_000

interface Position {
  readonly seq: number
  readonly change: number
}

export interface Devices {
  seen(): Device[]
  close(): void
}

/** Sockets that resume where they were, as a phone does. */
export function openDevices(world: World): Devices {
  const devices = world.devices.map((device) => new Phone(world, device))
  return {
    seen: () => devices.flatMap((device) => device.seen()),
    close() {
      for (const device of devices) device.close()
    },
  }
}

class Phone {
  readonly #world: World
  readonly #device: World['devices'][number]
  readonly #positions: Record<string, Position> = {}
  readonly #received = new Map<string, { seq: number; id: number }[]>()
  readonly #reloaded = new Set<string>()
  #socket: WebSocket | undefined
  #closed = false
  #tries = 0

  constructor(world: World, device: World['devices'][number]) {
    this.#world = world
    this.#device = device
    for (const { conversation } of device.groups) {
      this.#positions[conversation] = { seq: 0, change: 0 }
      this.#received.set(conversation, [])
    }
    this.#connect()
  }

  seen(): Device[] {
    const { uid, groups } = this.#device
    return groups.map((group) => ({
      name: uid,
      conversation: conversationOf(group),
      received: this.#received.get(group.conversation) ?? [],
      reloaded: this.#reloaded.has(group.conversation),
    }))
  }

  close(): void {
    this.#closed = true
    this.#socket?.close()
  }

  #connect(): void {
    if (this.#closed) return
    const { appId } = this.#world.app
    const at = `ws://${outside}:${ports.balancedGateway}/v3/realtime?appId=${appId}`
    const socket = new WebSocket(at)
    this.#socket = socket
    let heard = performance.now()
    const timer = setInterval(() => {
      if (performance.now() - heard > silentMs) again()
      else if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}')
    }, pingMs)
    const again = () => {
      clearInterval(timer)
      if (this.#socket !== socket) return
      this.#socket = undefined
      socket.close()
      this.#tries++
      setTimeout(() => this.#connect(), Math.random() * Math.min(4000, 200 * 2 ** this.#tries))
    }
    socket.onopen = () => {
      const { token: authToken } = this.#device
      socket.send(JSON.stringify({ type: 'auth', authToken, positions: this.#positions }))
    }
    socket.onmessage = ({ data }) => {
      heard = performance.now()
      this.#take(JSON.parse(String(data)))
    }
    socket.onclose = again
    socket.onerror = again
  }

  #take(frame: {
    readonly type: string
    readonly conversationId: string
    readonly seq: number
    readonly change: number
    readonly position: Position
    readonly message: { readonly id: string; readonly category: string }
  }): void {
    const { type, conversationId, seq, change } = frame
    if (type === 'welcome') this.#tries = 0
    const at = this.#positions[conversationId]
    const received = this.#received.get(conversationId)
    if (!at || !received) return
    if (type === 'message') {
      received.push({ seq, id: Number(frame.message.id) })
      this.#positions[conversationId] = {
        seq: Math.max(seq, at.seq),
        change: Math.max(change, at.change),
      }
    } else if (type === 'changed') {
      this.#positions[conversationId] = { seq: at.seq, change }
    } else if (type === 'reload') {
      this.#reloaded.add(conversationId)
      this.#positions[conversationId] = frame.position
    }
  }
}
