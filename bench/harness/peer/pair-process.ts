import { setTimeout as sleep } from 'node:timers/promises'
import { text } from '../conversations.ts'
import { percentile } from '../figures.ts'
import { openChoralePair } from './chorale-pair.ts'
import { numberLength, type Pair } from './pair.ts'
import type { Devices, Order, Sent } from './pairs.ts'
import { openXmppPair } from './xmpp-pair.ts'

// Started by `openPairs`. It sends and receives, so one clock says how long a message took.

const patienceMs = 30_000

interface Loop {
  readonly pair: Pair
  /** What the receiver must have next. */
  expect(nth: number): Promise<void>
  sent: number
}

let loops: Loop[] = []

async function open(devices: Devices): Promise<void> {
  loops = await Promise.all(
    devices.at === 'chorale'
      ? devices.pairs.map((pair) => openLoop((hear) => openChoralePair(devices, pair, hear)))
      : devices.pairs.map((pair) => openLoop((hear) => openXmppPair(devices, pair, hear))),
  )
}

async function openLoop(openPair: (hear: (nth: number) => void) => Promise<Pair>): Promise<Loop> {
  let expected = 0
  let heard = Promise.withResolvers<void>()
  const pair = await openPair((nth) => {
    if (nth !== expected) throw new Error(`Message ${nth} came instead of ${expected}.`)
    expected = 0
    heard.resolve()
  })
  const expect = (nth: number) => {
    expected = nth
    heard = Promise.withResolvers()
    return heard.promise
  }
  return { pair, expect, sent: 0 }
}

async function send(seconds: number): Promise<Sent> {
  const waits: number[] = []
  const start = performance.now()
  const end = start + 1000 * seconds
  const done = Promise.all(loops.map((loop) => sendUntil(end, loop, waits)))
  using late = deadline(1000 * seconds + patienceMs)
  await Promise.race([done, late.passed])
  return {
    deliveries: waits.length,
    seconds: (performance.now() - start) / 1000,
    p50Ms: percentile(waits, 0.5),
    p99Ms: percentile(waits, 0.99),
  }
}

async function sendUntil(end: number, loop: Loop, waits: number[]): Promise<void> {
  for (let start = performance.now(); start < end; start = performance.now()) {
    const nth = ++loop.sent
    const heard = loop.expect(nth)
    const accepted = loop.pair.send(says(nth))
    await heard
    waits.push(performance.now() - start)
    await accepted
  }
}

/** As long as the texts of the other benches. */
function says(nth: number): string {
  return String(nth).padStart(numberLength, '0') + text.slice(numberLength)
}

function deadline(ms: number): Disposable & { readonly passed: Promise<never> } {
  const controller = new AbortController()
  const passed = sleep(ms, undefined, { signal: controller.signal }).then(() => {
    throw new Error('A message has not reached its receiver.')
  })
  return { passed, [Symbol.dispose]: () => controller.abort() }
}

process.on('message', async (order: Order) => {
  if (order.is === 'open') process.send?.({ opened: await open(order.devices) })
  else process.send?.(await send(order.seconds))
})
process.once('disconnect', () => process.exit())
