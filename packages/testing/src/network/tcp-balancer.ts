import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One address for several servers, of which some may be dead at the moment. */
export interface TcpBalancer extends AsyncDisposable {
  readonly origin: string
  /** The connections of the moment, from the oldest to the youngest. */
  readonly open: number
  /** Ends one of them without a word, at both sides. */
  cut(nth: number): void
}

/** `targets` may change meanwhile: each new connection is led to one of those of its moment. */
export async function startTcpBalancer(targets: readonly string[]): Promise<TcpBalancer> {
  const sockets = new Set<Socket>()
  let turn = 0

  /** To the next server that takes it. */
  function lead(near: Socket, tries = targets.length): void {
    const { hostname, port } = new URL(targets[turn++ % targets.length] ?? '')
    const far = connect({ host: hostname, port: Number(port) })
    const again = () => (tries > 1 ? lead(near, tries - 1) : near.destroy())
    far.once('error', again)
    far.once('connect', () => {
      far.off('error', again).on('error', () => near.destroy())
      // What it wrote last is still on its way.
      far.on('close', () => near.destroySoon())
      near.on('close', () => far.destroy())
      if (near.destroyed) far.destroy()
      near.pipe(far).pipe(near)
    })
  }

  const server = createServer((near) => {
    sockets.add(near)
    near.on('error', () => near.destroy())
    near.on('close', () => sockets.delete(near))
    lead(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    get open() {
      return sockets.size
    },
    cut: (nth) => void [...sockets][nth]?.resetAndDestroy(),
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
