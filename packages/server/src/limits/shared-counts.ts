import { randomUUID } from 'node:crypto'

/** How processes of an install share what they have counted. News may be lost. */
export interface CountWire {
  publish(text: string): void
  /** Returns how to stop. What this process publishes may come back to it. */
  listen(hear: (text: string) => void): () => void
  /** Called whenever news may have been lost. */
  onRestored(restored: () => void): void
}

interface Taken {
  readonly ok: boolean
  /** What all processes have taken in this window, as far as is known here. */
  readonly used: number
  readonly msLeft: number
}

/**
 * Counts by key in windows that begin with the first use, for all processes together. Nobody is
 * asked on the way: each process sends the others its own count, within `sendMs` and whenever it has
 * taken a twentieth of the limit since it last sent. So a process may be behind by that much for each
 * other process, and by what is taken while a message is on its way.
 */
export interface SharedCounts extends Disposable {
  take(key: string, limit: number): Taken
}

interface Counter {
  start: number
  own: number
  /** What the others know of `own`. */
  sent: number
  others: number
  readonly byProcess: Map<string, number>
}

interface News {
  readonly from: string
  /** Key, begin of its window, count of the sender in it. */
  readonly counts: readonly (readonly [string, number, number])[]
}

export interface SharedCountsOptions {
  readonly windowMs: number
  readonly wire?: CountWire | undefined
  readonly clock?: () => number
}

const sendMs = 250
const helloMs = 5000
const maxPerMessage = 1000

export function openSharedCounts(options: SharedCountsOptions): SharedCounts {
  return new Counts(options)
}

class Counts implements SharedCounts {
  readonly #me = randomUUID()
  readonly #windowMs: number
  readonly #wire: CountWire | undefined
  readonly #clock: () => number
  readonly #counters = new Map<string, Counter>()
  readonly #unsent = new Set<string>()
  /** When each other process was last heard. */
  readonly #peers = new Map<string, number>()
  readonly #stop: (() => void) | undefined
  readonly #hellos: NodeJS.Timeout
  #isScheduled = false
  #timer: NodeJS.Timeout | undefined

  constructor({ windowMs, wire, clock = Date.now }: SharedCountsOptions) {
    this.#windowMs = windowMs
    this.#wire = wire
    this.#clock = clock
    // Written by another process of this install.
    this.#stop = wire?.listen((text) => this.#hear(JSON.parse(text) as News))
    wire?.onRestored(() => {
      this.#peers.clear()
      this.#hello()
    })
    this.#hellos = setInterval(() => this.#hello(), helloMs).unref()
    this.#hello()
  }

  take(key: string, limit: number): Taken {
    const now = this.#clock()
    const counter = this.#counterOf(key, now, now)
    const msLeft = counter.start + this.#windowMs - now
    if (counter.own + counter.others >= limit) return { ok: false, used: limit, msLeft }
    counter.own++
    if (this.#peers.size > 0) {
      this.#unsent.add(key)
      this.#timer ??= setTimeout(() => this.#flush(), sendMs).unref()
      if (counter.own - counter.sent >= limit / 20) this.#flushSoon()
    }
    return { ok: true, used: counter.own + counter.others, msLeft }
  }

  [Symbol.dispose](): void {
    this.#stop?.()
    clearTimeout(this.#timer)
    clearInterval(this.#hellos)
  }

  #isOver(start: number, now: number): boolean {
    return start + this.#windowMs <= now
  }

  #counterOf(key: string, start: number, now: number): Counter {
    const known = this.#counters.get(key)
    if (known && !this.#isOver(known.start, now)) {
      // The earliest begin that anybody knows: so all windows of a key end at the same moment.
      known.start = Math.min(known.start, start)
      return known
    }
    const fresh = { start, own: 0, sent: 0, others: 0, byProcess: new Map<string, number>() }
    this.#counters.set(key, fresh)
    return fresh
  }

  #flush(): void {
    this.#isScheduled = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    const now = this.#clock()
    let counts: [string, number, number][] = []
    for (const key of this.#unsent) {
      const counter = this.#counters.get(key)
      if (!counter || this.#isOver(counter.start, now)) continue
      counter.sent = counter.own
      counts.push([key, counter.start, counter.own])
      if (counts.length < maxPerMessage) continue
      this.#send(counts)
      counts = []
    }
    this.#unsent.clear()
    if (counts.length > 0) this.#send(counts)
  }

  #send(counts: News['counts']): void {
    const news: News = { from: this.#me, counts }
    this.#wire?.publish(JSON.stringify(news))
  }

  #flushSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #sendAll(): void {
    for (const [key, { own }] of this.#counters) if (own > 0) this.#unsent.add(key)
    this.#flushSoon()
  }

  #hear({ from, counts }: News): void {
    if (from === this.#me) return
    const now = this.#clock()
    const isNew = !this.#peers.has(from)
    this.#peers.set(from, now)
    for (const [key, start, count] of counts) {
      if (this.#isOver(start, now)) continue
      const counter = this.#counterOf(key, start, now)
      counter.others += count - (counter.byProcess.get(from) ?? 0)
      counter.byProcess.set(from, count)
    }
    if (!isNew) return
    this.#send([])
    this.#sendAll()
  }

  #hello(): void {
    const now = this.#clock()
    for (const [key, { start }] of this.#counters) {
      if (this.#isOver(start, now)) this.#counters.delete(key)
    }
    for (const [peer, at] of this.#peers) if (at + 3 * helloMs < now) this.#peers.delete(peer)
    this.#send([])
  }
}
