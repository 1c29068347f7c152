import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Random } from '../seeded.ts'

/** Stands between clients and the service: it is slow, and its connections break again and again. */
export interface SlowNetwork extends AsyncDisposable {
  readonly url: string
  /** Where it leads; nowhere before. */
  lead(to: string): void
  /** Connections that it has cut. */
  cuts(): number
}

interface SlowNetworkOptions {
  /** From clients, of all connections together. */
  readonly bytesPerSecond: number
  /** From a client: a connection is cut after any number up to this. */
  readonly cutAfterBytes: number
  readonly random: Random
}

export async function startSlowNetwork(options: SlowNetworkOptions): Promise<SlowNetwork> {
  const { bytesPerSecond, cutAfterBytes, random } = options
  const sockets = new Set<Socket>()
  let target: URL | undefined
  let freeAt = 0
  let cuts = 0
  /** When so many more bytes have come through. */
  const delayOf = (bytes: number) => {
    const now = performance.now()
    freeAt = Math.max(now, freeAt) + (bytes / bytesPerSecond) * 1000
    return freeAt - now
  }
  const server = createServer((near) => {
    const { hostname, port } = target ?? {}
    if (hostname === undefined) return void near.destroy()
    const far = connect({ host: hostname, port: Number(port) })
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    far.pipe(near)
    let left = 1 + random.below(cutAfterBytes)
    near.on('data', (chunk) => {
      left -= chunk.length
      if (left < 0) {
        cuts++
        return end()
      }
      near.pause()
      setTimeout(() => far.write(chunk, () => near.resume()), delayOf(chunk.length))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    lead: (to) => {
      target = new URL(to)
    },
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
