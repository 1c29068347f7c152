import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** For a program that cannot choose a port by itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
