import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { storageKeysIn } from './storage-keys.ts'

/** One call as it came in. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The text as an object. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
  readonly body: any
  readonly atMs: number
}

export type Behaviour = (response: ServerResponse, received: Received) => void

/**
 * Somebody's server that webhooks call. It answers 200, until told to behave otherwise. Closing it
 * fails if anything that it received shows how something is stored.
 */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  behave: Behaviour
}

export const answer: (status: number, body?: string) => Behaviour =
  (status, body = '') =>
  (response) => {
    response.writeHead(status).end(body)
  }

export async function openReceiver(behave: Behaviour = answer(200), port = 0): Promise<Receiver> {
  const received: Received[] = []
  const storageKeys: string[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const { url: path = '', headers } = request
    const one = { path, headers, text, body: JSON.parse(text), atMs: performance.now() }
    received.push(one)
    storageKeys.push(...storageKeysIn(one.body))
    receiver.behave(response, one)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  // A listening TCP server has an address with a port.
  const address = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${address.port}/in`,
    received,
    behave,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if (storageKeys.length === 0) return
      throw new Error(`A call shows how something is stored: ${storageKeys.join(', ')}`)
    },
  }
  return receiver
}
