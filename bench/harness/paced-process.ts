import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from './figures.ts'
import type { Pace, PacedResult } from './paced.ts'
import { sendRequest, type Target } from './sends.ts'

// Started by `pacedSends`. A wait is counted from the moment at which the message should have been
// sent: what is late because earlier ones were slow, or because this process was, counts as slow.

const connections = 64

interface Connection extends Disposable {
  /** The status of the answer. One request at a time. */
  exchange(request: string): Promise<number>
}

async function openConnection(origin: string): Promise<Connection> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<number> | undefined
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk
    const head = received.indexOf('\r\n\r\n') + 4
    if (head < 4) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1])
    if (received.length < head + length) return
    const status = Number(received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    received = ''
    waiting?.resolve(status)
  })
  socket.on('close', () => waiting?.reject(new Error('The server closed the connection.')))
  return {
    exchange(request) {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

async function sendAll(target: Target, { perSecond, seconds }: Pace): Promise<PacedResult> {
  using stack = new DisposableStack()
  const idle = await Promise.all(
    Array.from({ length: connections }, () => openConnection(target.origin)),
  )
  for (const connection of idle) stack.use(connection)
  const waits: number[] = []
  const due: number[] = []
  const sendNext = async () => {
    const connection = idle.pop()
    if (!connection) return
    for (let at = due.shift(); at !== undefined; at = due.shift()) {
      const status = await connection.exchange(sendRequest(target))
      if (status !== 200) throw new Error(`A send was answered with ${status}.`)
      waits.push(performance.now() - at)
    }
    idle.push(connection)
  }
  const total = perSecond * seconds
  const start = performance.now()
  const under = new Set<Promise<void>>()
  for (let n = 0; n < total; await sleep(1)) {
    for (; n < total && at(n) <= performance.now(); n++) {
      due.push(at(n))
      const one: Promise<void> = sendNext().finally(() => under.delete(one))
      under.add(one)
    }
  }
  await Promise.all(under)
  return { sent: waits.length, p50Ms: percentile(waits, 0.5), p99Ms: percentile(waits, 0.99) }

  function at(n: number): number {
    return start + (n * 1000) / perSecond
  }
}

process.once('message', async ({ target, pace }: { target: Target; pace: Pace }) => {
  process.send?.(await sendAll(target, pace))
  process.disconnect?.()
})
