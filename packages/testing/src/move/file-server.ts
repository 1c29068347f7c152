import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a server of files does when it is asked for one. `nth`: how often it was asked before. */
export type Serving = (response: ServerResponse, nth: number) => void

/** A plain server of files on loopback, such as an old service has. */
export interface FileServer extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string
  /** How often each was asked for. */
  readonly asked: ReadonlyMap<string, number>
  /** The address that a message links to. */
  add(name: string, serving: Serving | Uint8Array): string
}

export async function startFileServer(): Promise<FileServer> {
  const asked = new Map<string, number>()
  const files = new Map<string, Serving>()
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url ?? '').slice(1)
    const nth = asked.get(name) ?? 0
    asked.set(name, nth + 1)
    const serving = files.get(name)
    if (serving) serving(response, nth)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  return {
    host,
    asked,
    add(name, serving) {
      files.set(name, typeof serving === 'function' ? serving : whole(serving))
      return `http://${host}/${encodeURIComponent(name)}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function whole(bytes: Uint8Array): Serving {
  return (response) => {
    const type = 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes)
  }
}

/** The first time, the connection ends in the middle. */
export function cutOnce(bytes: Uint8Array): Serving {
  return (response, nth) => {
    if (nth > 0) return whole(bytes)(response, nth)
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  }
}

/** The first time, there were too many calls. */
export function limitedOnce(bytes: Uint8Array): Serving {
  return (response, nth) => {
    if (nth > 0) return whole(bytes)(response, nth)
    response.writeHead(429, { 'retry-after': '1' }).end()
  }
}

/** Without a length. */
export function inChunks(bytes: Uint8Array): Serving {
  return (response) => {
    response.writeHead(200)
    response.write(bytes.subarray(0, 1000))
    response.end(bytes.subarray(1000))
  }
}

export function redirect(to: string): Serving {
  return (response) => {
    response.writeHead(302, { location: to }).end()
  }
}

/** Its bytes never come. */
export function announced(size: number): Serving {
  return (response) => {
    response.writeHead(200, { 'content-length': size }).flushHeaders()
  }
}
