import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between the service and an engine, so that the engine can go away and come back. */
export interface TcpProxy extends AsyncDisposable {
  /** The engine's address with the proxy in its place. */
  readonly url: string
  /** Cuts every connection, and refuses new ones until `open`. */
  close(): Promise<void>
  open(): Promise<void>
  /** Connections stay, and take new ones; nothing comes through until `thaw`. */
  freeze(): void
  thaw(): void
}

export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let frozen = false
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket)
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
  const waiting = new Set<() => void>()
  const join = (near: Socket, far: Socket) => void near.pipe(far).pipe(near)
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) })
    keep(near, far)
    keep(far, near)
    if (!frozen) join(near, far)
    else waiting.add(() => join(near, far))
  })
  const listen = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(wanted, '127.0.0.1', resolve)
    })
  await listen(0)
  // A listening TCP server has an address with a port.
  const own = (server.address() as AddressInfo).port
  const close = async () => {
    if (!server.listening) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(own)
  return {
    url: url.href,
    close,
    open: () => listen(own),
    freeze() {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      frozen = false
      for (const start of waiting) start()
      waiting.clear()
      for (const socket of sockets) socket.resume()
    },
    [Symbol.asyncDispose]: close,
  }
}
