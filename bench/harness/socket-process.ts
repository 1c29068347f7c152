import { setTimeout as sleep } from 'node:timers/promises'
import { text } from './conversations.ts'
import { percentile } from './figures.ts'
import { type HttpConnection, openHttpConnection } from './http-connection.ts'
import { sendPaced } from './paced-sends.ts'
import { openRawDevice } from './raw-device.ts'
import { groupRequest, sendRequest } from './sends.ts'
import type { Flood, Heard, HeardPaced, Opened, Order, Paced, Sends } from './sockets.ts'

// Started by `startSockets`. It sends and receives, so one clock says how long a message took.

const openingAtOnce = 200
const drainMs = 30_000
/** Before the moment at which a message was sent, in its text. */
const mark = '"@'
const stampLength = 16

interface Receipt {
  readonly sentAt: number
  readonly at: number
}

let heard = 0
let bytesHeard = 0
let receipts: Receipt[] = []
/** Reading a message takes time, so only one socket of so many does. */
let readsOneIn = 1
let onHeard: () => void = () => undefined

function stamp(at: number): string {
  return at.toFixed(3).padStart(stampLength, '0')
}

function hear(socket: number, bytes: Buffer, start: number, end: number): void {
  heard++
  bytesHeard += end - start
  if (socket % readsOneIn === 0) {
    const place = bytes.indexOf(mark, start, 'latin1') + mark.length
    const sentAt = Number(bytes.toString('latin1', place, place + stampLength))
    receipts.push({ sentAt, at: performance.now() })
  }
  onHeard()
}

function begin(oneIn: number): void {
  heard = 0
  bytesHeard = 0
  receipts = []
  readsOneIn = oneIn
}

async function openAll({ origin, appId, auths }: Extract<Order, { is: 'open' }>): Promise<Opened> {
  const start = performance.now()
  const left = [...auths.entries()].toReversed()
  const openNext = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [socket, auth] = next
      let welcome = true
      await openRawDevice({
        origin,
        appId,
        auth,
        onFrame(bytes, from, to) {
          if (!welcome) hear(socket, bytes, from, to)
          welcome = false
        },
        onClosed: () => process.exit(3),
      })
    }
  }
  await Promise.all(Array.from({ length: openingAtOnce }, openNext))
  return { seconds: (performance.now() - start) / 1000 }
}

const requestOf = (sends: Sends) => (at: number) => {
  const says = `@${stamp(at)}${text.slice(stampLength + 1)}`
  if (sends.to === 'group') return groupRequest(sends.target, sends.guid, says)
  if (sends.to === 'pairs') return sendRequest(sends.target, says, sends.among)
  const body = `"${says}"`.padEnd(sends.bytes, 'x')
  return `POST /${sends.first} HTTP/1.1\r\nHost: bare\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** As many messages as get through, with so many that have not reached all receivers. */
async function flood({ sends, origin, receivers, inFlight, seconds }: Flood): Promise<Heard> {
  begin(100)
  using stack = new DisposableStack()
  const connections = Array.from({ length: inFlight }, () => openHttpConnection(origin))
  const idle = await Promise.all(connections)
  for (const connection of idle) stack.use(connection)
  const request = requestOf(sends)
  let sent = 0
  let running = true
  const failed = Promise.withResolvers<never>()
  const send = async (connection: HttpConnection) => {
    const { status } = await connection.exchange(request(performance.now()))
    if (status !== 200) throw new Error(`A send was answered with ${status}.`)
    idle.push(connection)
    pump()
  }
  const pump = () => {
    while (running && sent - Math.floor(heard / receivers) < inFlight) {
      const connection = idle.pop()
      if (!connection) return
      sent++
      send(connection).catch(failed.reject)
    }
  }
  const start = performance.now()
  onHeard = pump
  pump()
  await Promise.race([sleep(seconds * 1000), failed.promise])
  const measured = { deliveries: heard, seconds: (performance.now() - start) / 1000 }
  running = false
  await Promise.race([drained(() => sent * receivers), failed.promise])
  return { ...measured, messageBytes: meanBytes(), ...waitsOf(receipts) }
}

/** Each message, to each receiver, once. */
async function drained(expected: () => number): Promise<void> {
  const end = performance.now() + drainMs
  while (heard < expected() && performance.now() < end) await sleep(5)
  await sleep(200)
  if (heard !== expected()) throw new Error(`Of ${expected()} deliveries ${heard} came.`)
}

function meanBytes(): number {
  return Math.round(bytesHeard / heard)
}

function waitsOf(all: readonly Receipt[], from = ({ sentAt }: Receipt) => sentAt) {
  const waits = all.map((receipt) => receipt.at - from(receipt))
  return { p50Ms: percentile(waits, 0.5), p99Ms: percentile(waits, 0.99) }
}

/** At a fixed pace; a wait counts from the moment at which the message should have been sent. */
async function pace({ sends, origin, receivers, pace }: Paced): Promise<HeardPaced> {
  begin(1)
  onHeard = () => undefined
  // By the moment in the text of the message.
  const answeredAt = new Map<number, number>()
  const start = performance.now()
  const { sent, ...answers } = await sendPaced(origin, requestOf(sends), pace, (at) =>
    answeredAt.set(Number(stamp(at)), performance.now()),
  )
  const seconds = (performance.now() - start) / 1000
  await drained(() => sent * receivers)
  const counted = receipts.filter(({ sentAt }) => answeredAt.has(sentAt))
  return {
    deliveries: heard,
    seconds,
    messageBytes: meanBytes(),
    ...waitsOf(counted),
    answers,
    behind: waitsOf(counted, ({ sentAt }) => answeredAt.get(sentAt) ?? Number.NaN),
  }
}

process.on('message', async (order: Order) => {
  if (order.is === 'open') process.send?.(await openAll(order))
  else if (order.is === 'flood') process.send?.(await flood(order))
  else process.send?.(await pace(order))
})
process.once('disconnect', () => process.exit())
