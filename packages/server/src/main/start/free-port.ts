import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** For a program that cannot choose a port by itself. */
export async function freePort(): Promise<number> {
  return (await portThatIsFree(0)) ?? freePort()
}

/** The port, unless somebody listens on it; for 0 any. */
export async function portThatIsFree(wanted: number, host = '127.0.0.1') {
  const server = createServer()
  try {
    server.listen(wanted, host)
    await once(server, 'listening')
  } catch {
    return undefined
  }
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export async function isAnswered(port: number, host: string): Promise<boolean> {
  const socket = connect({ port, host })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    // Nobody is there, or this machine has no such address.
    return false
  } finally {
    socket.destroy()
  }
}
