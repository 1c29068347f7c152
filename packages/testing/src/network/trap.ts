import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Servers on this machine that nobody may reach; they count who does. */
export interface Trap extends AsyncDisposable {
  readonly port: number
  readonly hits: number
}

/** One server per address, on a port that all of them share. */
export async function setTrap(...addresses: readonly string[]): Promise<Trap> {
  let hits = 0
  let port = 0
  const servers: Server[] = []
  for (const address of addresses) {
    const server = createServer((_request, response) => response.end('inside'))
    server.on('connection', () => {
      hits += 1
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, address, resolve)
    })
    // A listening TCP server has an address with a port.
    port = (server.address() as AddressInfo).port
    servers.push(server)
  }
  return {
    port,
    get hits() {
      return hits
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}
