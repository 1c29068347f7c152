import type { Position } from '@chorale/contract/frames'

/** One connection of a user. */
export interface Listener {
  readonly uid: string
  /** Frames that are ready for the wire; the same bytes go to many. */
  write(frames: Buffer, count: number): void
  /** The conversation is not theirs any more. */
  unfollow(label: string): void
}

/** A frame, and by what a listener that catches up knows whether it has seen it already. */
export interface Heard {
  readonly bytes: Buffer
  readonly seq?: number
  readonly change?: number
}

const mostWaiting = 5000

/**
 * Writes the frames of one conversation to all who listen. Under load, frames of a few
 * milliseconds become one write for each socket; a lone frame waits for nobody.
 */
export class Channel {
  readonly #live = new Set<Listener>()
  /** Those that still read what they have missed, with what has come since. */
  readonly #waiting = new Map<Listener, Heard[]>()
  readonly #coalesceMs: number
  #queue: Buffer[] = []
  #flushedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(coalesceMs: number) {
    this.#coalesceMs = coalesceMs
  }

  get size(): number {
    return this.#live.size + this.#waiting.size
  }

  *listeners(): Iterable<Listener> {
    yield* this.#live
    yield* this.#waiting.keys()
  }

  /** From now on everything is kept for this listener, until `admit`. */
  wait(listener: Listener): void {
    if (!this.#live.has(listener)) this.#waiting.set(listener, [])
  }

  /**
   * The listener has seen everything up to here: what was kept and is newer follows. False: it
   * took too long, and not everything could be kept.
   */
  admit(listener: Listener, seen: Position): boolean {
    const kept = this.#waiting.get(listener)
    if (!kept) return true
    if (kept.length >= mostWaiting) return false
    // What waits in the queue was kept for this listener too.
    this.flush()
    this.#waiting.delete(listener)
    const newer = kept.filter(({ seq, change }) =>
      seq !== undefined ? seq > seen.seq : change === undefined || change > seen.change,
    )
    if (newer.length > 0) listener.write(joined(newer.map(({ bytes }) => bytes)), newer.length)
    this.#live.add(listener)
    return true
  }

  /** False: it was not there. */
  remove(listener: Listener): boolean {
    if (this.#live.has(listener)) this.flush()
    const lived = this.#live.delete(listener)
    return this.#waiting.delete(listener) || lived
  }

  /** To everyone, in one go. */
  send(heard: readonly Heard[]): void {
    for (const kept of this.#waiting.values()) keep(kept, heard)
    if (this.#live.size === 0) return
    for (const { bytes } of heard) this.#queue.push(bytes)
    const sinceMs = performance.now() - this.#flushedAt
    if (sinceMs >= this.#coalesceMs) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), this.#coalesceMs - sinceMs)
  }

  /** Only to some, in order with what went to everyone. */
  sendTo(heard: readonly Heard[], chosen: (listener: Listener) => boolean): void {
    this.flush()
    for (const [listener, kept] of this.#waiting) if (chosen(listener)) keep(kept, heard)
    const bytes = joined(heard.map((one) => one.bytes))
    for (const listener of this.#live) if (chosen(listener)) listener.write(bytes, heard.length)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#queue.length === 0) return
    const frames = this.#queue
    this.#queue = []
    this.#flushedAt = performance.now()
    const bytes = joined(frames)
    for (const listener of this.#live) listener.write(bytes, frames.length)
  }
}

function keep(kept: Heard[], heard: readonly Heard[]): void {
  kept.push(...heard.slice(0, mostWaiting - kept.length))
}

function joined(frames: readonly Buffer[]): Buffer {
  const [first, ...more] = frames
  return first && more.length === 0 ? first : Buffer.concat(frames)
}
