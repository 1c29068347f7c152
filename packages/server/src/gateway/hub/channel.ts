import type { Position } from '@chorale/contract/frames'

/** One connection of a user. */
export interface Listener {
  readonly uid: string
  /** Frames that are ready for the wire; the same bytes go to many. */
  write(frames: Buffer, count: number): void
  /** The conversation is not theirs any more. */
  unfollow(key: number): void
}

/** A frame, and by what a listener that read the log knows whether it has seen it already. */
export interface Heard {
  readonly bytes: Buffer
  readonly seq?: number
  readonly change?: number
}

/** Who does not hear the same as the others yet. */
interface Apart {
  /** What has come since; it follows once they have read what they missed. */
  readonly kept: Heard[]
  /** What they have read, which may be more than was passed on so far. */
  readonly seen?: Position
}

const maxKept = 5000

/**
 * Writes the frames of one conversation to all who listen. Under load, frames of a few
 * milliseconds become one write for each socket; a lone frame waits for nobody.
 */
export class Channel {
  readonly #live = new Set<Listener>()
  readonly #apart = new Map<Listener, Apart>()
  readonly #coalesceMs: number
  /** How far the conversation was passed on. */
  #passed: Position = { seq: 0, change: 0 }
  #queue: Buffer[] = []
  #flushedAt = 0
  #pauseMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(coalesceMs: number) {
    this.#coalesceMs = coalesceMs
  }

  get size(): number {
    return this.#live.size + this.#apart.size
  }

  *listeners(): Iterable<Listener> {
    yield* this.#live
    yield* this.#apart.keys()
  }

  /** From now on everything is kept for this listener, until `admit`. */
  wait(listener: Listener): void {
    if (!this.#live.has(listener)) this.#apart.set(listener, { kept: [] })
  }

  /**
   * The listener has seen everything up to here: what was kept and is newer follows. False: it
   * took too long, and not everything could be kept.
   */
  admit(listener: Listener, seen: Position): boolean {
    const apart = this.#apart.get(listener)
    if (!apart) return true
    if (apart.kept.length >= maxKept) return false
    writeNewer(listener, apart.kept, seen)
    this.#apart.set(listener, { kept: [], seen })
    this.#unite()
    return true
  }

  /** False: it was not there. */
  remove(listener: Listener): boolean {
    if (this.#live.has(listener)) this.flush()
    const lived = this.#live.delete(listener)
    return this.#apart.delete(listener) || lived
  }

  /** To everyone, in one go. */
  send(heard: readonly Heard[]): void {
    this.#sendApart(heard, () => true)
    if (this.#live.size === 0) return
    for (const { bytes } of heard) this.#queue.push(bytes)
    const sinceMs = performance.now() - this.#flushedAt
    if (sinceMs >= this.#pauseMs) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), this.#pauseMs - sinceMs)
  }

  /** Only to some, in order with what went to everyone. */
  sendTo(heard: readonly Heard[], chosen: (listener: Listener) => boolean): void {
    this.flush()
    this.#sendApart(heard, chosen)
    const bytes = joined(heard)
    for (const listener of this.#live) if (chosen(listener)) listener.write(bytes, heard.length)
  }

  /** Nothing up to here will be sent again. */
  passed(at: Position): void {
    this.#passed = at
    if (this.#apart.size > 0) this.#unite()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#queue.length === 0) return
    const frames = this.#queue
    this.#queue = []
    const [first] = frames
    const bytes = first && frames.length === 1 ? first : Buffer.concat(frames)
    const startedAt = performance.now()
    for (const listener of this.#live) listener.write(bytes, frames.length)
    // Many writes take long: what came meanwhile is load, and goes together. Half of the time at
    // least belongs to the other conversations.
    this.#flushedAt = performance.now()
    this.#pauseMs = Math.max(this.#coalesceMs, this.#flushedAt - startedAt)
  }

  #sendApart(heard: readonly Heard[], chosen: (listener: Listener) => boolean): void {
    for (const [listener, { kept, seen }] of this.#apart) {
      if (!chosen(listener)) continue
      if (seen) writeNewer(listener, heard, seen)
      else kept.push(...heard.slice(0, maxKept - kept.length))
    }
  }

  /** Whoever has seen no more than was passed on hears the same as the others from now on. */
  #unite(): void {
    for (const [listener, { seen }] of this.#apart) {
      if (!seen || seen.seq > this.#passed.seq || seen.change > this.#passed.change) continue
      // What waits in the queue was sent to this listener already.
      this.flush()
      this.#apart.delete(listener)
      this.#live.add(listener)
    }
  }
}

function writeNewer(listener: Listener, heard: readonly Heard[], seen: Position): void {
  const newer = heard.filter(({ seq, change }) =>
    seq !== undefined ? seq > seen.seq : change === undefined || change > seen.change,
  )
  if (newer.length > 0) listener.write(joined(newer), newer.length)
}

function joined(heard: readonly Heard[]): Buffer {
  const [first] = heard
  return first && heard.length === 1 ? first.bytes : Buffer.concat(heard.map(({ bytes }) => bytes))
}
