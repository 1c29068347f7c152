import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Position, ServerFrame } from '../../packages/contract/src/frames.ts'
import { openRawDevice } from './raw-device.ts'
import type { StormOrder, StormResult } from './storm.ts'

// Started by `storm`. Its devices keep their positions and come again as those of the SDK do.

const openingAtOnce = 200
const firstWaitMs = 1000
const longestWaitMs = 30_000
const drainMs = 30_000

const seen = { lost: 0, back: 0, wrong: 0, reloads: 0, firstAt: 0, lastAt: 0 }

class StormDevice {
  readonly positions: Record<string, Position> = {}
  readonly #authToken: string
  /** Where each conversation stood when it was let in again; until then it is not back. */
  #missing: Record<string, Position> | undefined
  #gateway: string
  readonly #order: StormOrder
  #tries = 0

  constructor(order: StormOrder, authToken: string, gateway: string) {
    this.#order = order
    this.#authToken = authToken
    this.#gateway = gateway
  }

  async open(): Promise<void> {
    const { positions } = this
    const auth = JSON.stringify({
      type: 'auth',
      authToken: this.#authToken,
      ...(Object.keys(positions).length > 0 && { positions }),
    })
    await openRawDevice({
      origin: this.#gateway,
      appId: this.#order.appId,
      auth,
      // The server sends nothing but its frames.
      onFrame: (bytes, start, end) =>
        this.#hear(JSON.parse(bytes.toString('utf8', start, end)) as ServerFrame),
      onClosed: () => void this.#comeAgain(),
    })
  }

  async #comeAgain(): Promise<void> {
    if (this.#tries === 0) {
      seen.lost++
      seen.firstAt ||= performance.now()
    }
    this.#gateway = this.#order.gateways[0] ?? ''
    this.#missing = { none: { seq: 1, change: 0 } }
    const windowMs = Math.min(firstWaitMs * 2 ** this.#tries++, longestWaitMs)
    await sleep(Math.random() * windowMs)
    // If it is closed again, it comes again.
    await this.open().catch(() => undefined)
  }

  #hear(frame: ServerFrame): void {
    switch (frame.type) {
      case 'welcome':
        for (const [label, head] of Object.entries(frame.positions)) this.positions[label] ??= head
        if (this.#tries > 0) this.#missing = frame.positions
        break
      case 'message': {
        const { conversationId: label, seq, change } = frame
        if (seq !== (this.positions[label]?.seq ?? 0) + 1) seen.wrong++
        this.positions[label] = { seq, change }
        break
      }
      case 'reload':
        seen.reloads++
        this.positions[frame.conversationId] = frame.position
    }
    if (this.#missing && this.#has(this.#missing)) {
      this.#missing = undefined
      this.#tries = 0
      seen.back++
      seen.lastAt = performance.now()
    }
  }

  #has(heads: Readonly<Record<string, Position>>): boolean {
    return Object.entries(heads).every(
      ([label, { seq }]) => (this.positions[label]?.seq ?? 0) >= seq,
    )
  }
}

async function openAll(devices: readonly StormDevice[]): Promise<void> {
  const left = [...devices]
  const openNext = async () => {
    for (let next = left.pop(); next; next = left.pop()) await next.open()
  }
  await Promise.all(Array.from({ length: openingAtOnce }, openNext))
}

/** How many devices do not have all that was sent. */
function behind(devices: readonly StormDevice[], sent: number): number {
  const heads = new Map<string, number>()
  for (const { positions } of devices) {
    for (const [label, { seq }] of Object.entries(positions)) {
      heads.set(label, Math.max(seq, heads.get(label) ?? 0))
    }
  }
  const stored = heads.values().reduce((sum, seq) => sum + seq, 0)
  const late = devices.filter(({ positions }) =>
    Object.entries(positions).some(([label, { seq }]) => seq < (heads.get(label) ?? 0)),
  )
  return late.length + Math.abs(sent - stored)
}

async function run(order: StormOrder): Promise<StormResult> {
  const { gateways } = order
  const devices = order.authTokens.map(
    (token, place) => new StormDevice(order, token, gateways[place % gateways.length] ?? ''),
  )
  await openAll(devices)
  process.send?.('ready')
  const [sent] = await once(process, 'message')
  const end = performance.now() + drainMs
  while (performance.now() < end && (seen.back < seen.lost || behind(devices, sent) > 0)) {
    await sleep(100)
  }
  const { lost, back, wrong, reloads, firstAt, lastAt } = seen
  const backSeconds = back < lost ? Number.POSITIVE_INFINITY : (lastAt - firstAt) / 1000
  return { lost, backSeconds, wrong: wrong + behind(devices, sent), reloads }
}

process.once('message', async (order: StormOrder) => {
  process.send?.(await run(order))
})
process.once('disconnect', () => process.exit())
