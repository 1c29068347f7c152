import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface HttpConnection extends Disposable {
  /** One request at a time. */
  exchange(request: string): Promise<HttpAnswer>
}

interface HttpAnswer {
  readonly status: number
  readonly body: string
}

/**
 * A connection that is kept, for requests as they go over the wire: a load must cost little itself.
 * One that the server has closed because it was idle is opened again.
 */
export async function openHttpConnection(origin: string): Promise<HttpConnection> {
  const { hostname, port } = new URL(origin)
  let received = ''
  let waiting: PromiseWithResolvers<HttpAnswer> | undefined

  async function open(): Promise<Socket> {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    received = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      received += chunk
      const head = received.indexOf('\r\n\r\n') + 4
      if (head < 4) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1])
      if (received.length < head + length) return
      const status = Number(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
      const body = received.slice(head, head + length)
      received = ''
      waiting?.resolve({ status, body })
    })
    // A reset ends in a close, too.
    socket.on('error', () => undefined)
    socket.on('close', () => waiting?.reject(new Error('The server closed the connection.')))
    return socket
  }

  let socket = await open()
  const attempt = async (request: string) => {
    waiting = undefined
    if (!socket.writable) socket = await open()
    waiting = Promise.withResolvers()
    socket.write(request)
    return waiting.promise
  }
  return {
    // It may close an idle one while the request is on its way: that one was not read.
    exchange: (request) =>
      attempt(request).catch((error) => {
        if (received !== '') throw error
        return attempt(request)
      }),
    [Symbol.dispose]: () => socket.destroy(),
  }
}
