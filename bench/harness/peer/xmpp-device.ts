import { connect, type Socket } from 'node:net'
import type { Login } from './pairs.ts'

// As much of an XMPP client as the load needs: it must cost less than what it measures.

interface Server {
  readonly host: string
  readonly port: number
  readonly domain: string
}

/** Logs in, and is there once the server has shown it its own presence. */
export async function openXmppDevice(
  { host, port, domain }: Server,
  { name, secret }: Login,
  onMessage: (stanza: string) => void,
): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true })
  // A reset ends in a close, too.
  socket.on('error', () => undefined)
  socket.once('close', () => process.exit(3))
  const stream = readerOf(socket)
  const openStream = async () => {
    socket.write(
      `<stream:stream to='${domain}' xmlns='jabber:client' ` +
        `xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>`,
    )
    await stream.until('</stream:features>')
  }
  await openStream()
  const credentials = Buffer.from(`\0${name}\0${secret}`).toString('base64')
  socket.write(
    `<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${credentials}</auth>`,
  )
  const answer = await stream.until('>')
  if (!answer.startsWith('<success')) throw new Error(`${name} was answered with ${answer}`)
  await openStream()
  socket.write(
    `<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq><presence/>`,
  )
  await stream.until('<presence')
  stream.forEach('</message>', onMessage)
  return socket
}

function readerOf(socket: Socket) {
  let received = ''
  let read = (): void => undefined
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
    read()
  })
  /** Up to and with this, if it has come. */
  const take = (end: string): string | undefined => {
    const at = received.indexOf(end)
    if (at < 0) return undefined
    const taken = received.slice(0, at + end.length)
    received = received.slice(at + end.length)
    return taken
  }
  return {
    until(end: string): Promise<string> {
      const { promise, resolve } = Promise.withResolvers<string>()
      read = () => {
        const taken = take(end)
        if (taken === undefined) return
        read = () => undefined
        resolve(taken)
      }
      read()
      return promise
    },
    forEach(end: string, use: (taken: string) => void): void {
      read = () => {
        for (let taken = take(end); taken !== undefined; taken = take(end)) use(taken)
      }
      read()
    },
  }
}
