import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from './figures.ts'
import { openHttpConnection } from './http-connection.ts'
import { type Pace, type PacedResult, runInSeconds } from './paced.ts'

// A wait is counted from the moment at which the message should have been sent: what is late
// because earlier ones were slow, or because this process was, counts as slow.

const connections = 64

/** `request` and `onAnswer` are told when it should have been sent; what is not counted is not told. */
export async function sendPaced(
  origin: string,
  request: (at: number) => string,
  { perSecond, seconds }: Pace,
  onAnswer: (at: number) => void = () => undefined,
): Promise<PacedResult> {
  using stack = new DisposableStack()
  const idle = await Promise.all(
    Array.from({ length: connections }, () => openHttpConnection(origin)),
  )
  for (const connection of idle) stack.use(connection)
  const waits: number[] = []
  let sent = 0
  const due: number[] = []
  const sendNext = async () => {
    // In turns: the service closes a connection that has brought no request for some time.
    const connection = idle.shift()
    if (!connection) return
    for (let at = due.shift(); at !== undefined; at = due.shift()) {
      const { status, body } = await connection.exchange(request(at))
      if (status !== 200) throw new Error(`A send was answered with ${status}: ${body}`)
      sent++
      if (at < counted) continue
      waits.push(performance.now() - at)
      onAnswer(at)
    }
    idle.push(connection)
  }
  const total = perSecond * (runInSeconds + seconds)
  const start = performance.now()
  const counted = start + runInSeconds * 1000
  const at = (n: number) => start + (n * 1000) / perSecond
  const under = new Set<Promise<void>>()
  for (let n = 0; n < total; await sleep(1)) {
    for (; n < total && at(n) <= performance.now(); n++) {
      due.push(at(n))
      const one: Promise<void> = sendNext().finally(() => under.delete(one))
      under.add(one)
    }
  }
  await Promise.all(under)
  return { sent, p50Ms: percentile(waits, 0.5), p99Ms: percentile(waits, 0.99) }
}
