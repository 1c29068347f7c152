import { randomUUID } from 'node:crypto'

/** How processes of an install tell each other what they have counted. News may be lost. */
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
 * asked on the way: each process tells the others its own count, within `tellMs` and whenever it has
 * taken a twentieth of the limit since it last told. So a process may be behind by that much for each
 * other process, and by what is taken while a message is on its way.
 */
export interface SharedCounts extends Disposable {
  take(key: string, limit: number): Taken
}

interface Counter {
  start: number
  own: number
  /** What the others know of `own`. */
  told: number
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

const tellMs = 250
const helloMs = 5000
const maxPerMessage = 1000

export function openSharedCounts(options: SharedCountsOptions): SharedCounts {
  const { windowMs, wire, clock = Date.now } = options
  const me = randomUUID()
  const counters = new Map<string, Counter>()
  const untold = new Set<string>()
  /** When each other process was last heard. */
  const peers = new Map<string, number>()
  let telling = false
  let timer: NodeJS.Timeout | undefined

  const isOver = ({ start }: { readonly start: number }, now: number) => start + windowMs <= now

  function counterOf(key: string, start: number, now: number): Counter {
    const known = counters.get(key)
    if (known && !isOver(known, now)) {
      // The earliest begin that anybody knows: so all windows of a key end at the same moment.
      known.start = Math.min(known.start, start)
      return known
    }
    const fresh = { start, own: 0, told: 0, others: 0, byProcess: new Map<string, number>() }
    counters.set(key, fresh)
    return fresh
  }

  function tell(): void {
    telling = false
    clearTimeout(timer)
    timer = undefined
    const now = clock()
    let counts: [string, number, number][] = []
    for (const key of untold) {
      const counter = counters.get(key)
      if (!counter || isOver(counter, now)) continue
      counter.told = counter.own
      counts.push([key, counter.start, counter.own])
      if (counts.length < maxPerMessage) continue
      send(counts)
      counts = []
    }
    untold.clear()
    if (counts.length > 0) send(counts)
  }

  function send(counts: News['counts']): void {
    const news: News = { from: me, counts }
    wire?.publish(JSON.stringify(news))
  }

  function tellSoon(): void {
    if (telling) return
    telling = true
    setImmediate(tell)
  }

  function tellAll(): void {
    for (const [key, { own }] of counters) if (own > 0) untold.add(key)
    tellSoon()
  }

  function hear({ from, counts }: News): void {
    if (from === me) return
    const now = clock()
    const isNew = !peers.has(from)
    peers.set(from, now)
    for (const [key, start, count] of counts) {
      if (isOver({ start }, now)) continue
      const counter = counterOf(key, start, now)
      counter.others += count - (counter.byProcess.get(from) ?? 0)
      counter.byProcess.set(from, count)
    }
    if (!isNew) return
    send([])
    tellAll()
  }

  function hello(): void {
    const now = clock()
    for (const [key, counter] of counters) if (isOver(counter, now)) counters.delete(key)
    for (const [peer, at] of peers) if (at + 3 * helloMs < now) peers.delete(peer)
    send([])
  }

  // Written by another process of this install.
  const stop = wire?.listen((text) => hear(JSON.parse(text) as News))
  wire?.onRestored(() => {
    peers.clear()
    hello()
  })
  const hellos = setInterval(hello, helloMs).unref()
  hello()

  return {
    take(key, limit) {
      const now = clock()
      const counter = counterOf(key, now, now)
      const msLeft = counter.start + windowMs - now
      if (counter.own + counter.others >= limit) return { ok: false, used: limit, msLeft }
      counter.own++
      if (peers.size > 0) {
        untold.add(key)
        timer ??= setTimeout(tell, tellMs).unref()
        if (counter.own - counter.told >= limit / 20) tellSoon()
      }
      return { ok: true, used: counter.own + counter.others, msLeft }
    },
    [Symbol.dispose]() {
      stop?.()
      clearTimeout(timer)
      clearInterval(hellos)
    },
  }
}
