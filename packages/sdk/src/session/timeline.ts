import type { Message, Position, ServerFrame } from '../contract.generated.ts'
import {
  type ChangedFrame,
  type MessageFrame,
  maxHeld,
  openTrack,
  type SessionPosition,
  type Track,
} from './track.ts'

type Frame = Extract<ServerFrame, { type: 'message' | 'changed' | 'reload' | 'left' }>

/** By conversation id. */
export type Positions = Readonly<Record<string, SessionPosition>>

/** A message, or another entry of a conversation, such as that somebody joined. */
export interface Entry {
  /** As the service names the conversation. */
  readonly conversationId: string
  /** The entry. */
  readonly message: Message
}

export interface TimelineParts {
  readonly positions: Positions
  /** How long what came too early waits for what is missing, before that is asked for. */
  readonly patienceMs: number
  /** Entries after one id and before another, oldest first. */
  between(message: Message, afterId: string): Promise<readonly Message[]>
  onMessage(entry: Entry): void
  onChanged(entry: Entry): void
  onReload(event: { readonly conversationId: string }): void
  onLeft(event: { readonly conversationId: string }): void
  onMoved(): void
}

/** All conversations of the device: each entry once, in order, with nothing left out. */
export interface Timeline {
  readonly positions: Positions
  /** Before the first connection: where an earlier session stopped. */
  restore(positions: Positions): void
  welcome(positions: Readonly<Record<string, Position>>): void
  hear(frame: Frame): void
  /** The connection is gone: the next one goes on from `positions`. */
  lose(): void
}

export function openTimeline(parts: TimelineParts): Timeline {
  return new Tracks(parts)
}

class Tracks implements Timeline {
  readonly #parts: TimelineParts
  readonly #tracks = new Map<string, Track>()
  readonly #repairs = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(parts: TimelineParts) {
    this.#parts = parts
    this.restore(parts.positions)
  }

  restore(positions: Positions): void {
    for (const [id, position] of Object.entries(positions))
      this.#tracks.set(id, openTrack(position))
  }

  get positions(): Positions {
    return Object.fromEntries([...this.#tracks].map(([id, { position }]) => [id, position]))
  }

  welcome(positions: Readonly<Record<string, Position>>): void {
    for (const [id, position] of Object.entries(positions)) {
      if (!this.#tracks.has(id)) this.#tracks.set(id, openTrack(position))
    }
    this.#parts.onMoved()
  }

  hear(frame: Frame): void {
    const { conversationId: id } = frame
    if (frame.type === 'reload') this.#goOnFrom(id, frame.position)
    else if (frame.type === 'left') {
      this.#stopRepair(id)
      this.#tracks.delete(id)
      this.#parts.onLeft({ conversationId: id })
      this.#parts.onMoved()
    } else this.#take(frame)
  }

  lose(): void {
    for (const id of [...this.#repairs.keys()]) this.#stopRepair(id)
    for (const track of this.#tracks.values()) track.forget()
  }

  #take(frame: MessageFrame | ChangedFrame): void {
    const { conversationId: id, seq, change } = frame
    // Of a conversation that begins now, nothing before its first frame is missing.
    const before = frame.type === 'message' ? seq - 1 : seq
    const track = this.#tracks.get(id) ?? openTrack({ seq: before, change: change - 1 })
    this.#tracks.set(id, track)
    this.#show(track.take(frame))
    this.#watch(id, track)
  }

  #show(frames: readonly (MessageFrame | ChangedFrame)[]): void {
    for (const { type, conversationId, message } of frames) {
      if (type === 'message') this.#parts.onMessage({ conversationId, message })
      else this.#parts.onChanged({ conversationId, message })
    }
    if (frames.length > 0) this.#parts.onMoved()
  }

  #watch(id: string, track: Track): void {
    if (!track.gap) this.#stopRepair(id)
    else if (!this.#repairs.has(id)) {
      const timer = setTimeout(() => void this.#repair(id, track), this.#parts.patienceMs)
      this.#repairs.set(id, timer)
    }
  }

  async #repair(id: string, track: Track): Promise<void> {
    const mine = this.#repairs.get(id)
    const found = await missingIn(this.#parts, track)
    // Meanwhile what was missing may have come, or the connection may have gone.
    const { gap, last, position } = track
    if (this.#repairs.get(id) !== mine || !gap || !last) return
    this.#stopRepair(id)
    // It cannot be had one by one.
    if (!found) return this.#goOnFrom(id, { ...last, id: last.message.id })
    const missed = found.filter(
      (one) => isAfter(one.id, position.id) && isAfter(gap.message.id, one.id),
    )
    for (const message of missed) this.#parts.onMessage({ conversationId: id, message })
    this.#show(track.fill(missed.at(-1)?.id))
    this.#watch(id, track)
  }

  #stopRepair(id: string): void {
    clearTimeout(this.#repairs.get(id))
    this.#repairs.delete(id)
  }

  #goOnFrom(conversationId: string, { seq, change, id }: SessionPosition): void {
    this.#stopRepair(conversationId)
    this.#tracks.set(conversationId, openTrack({ seq, change, ...(id !== undefined && { id }) }))
    this.#parts.onReload({ conversationId })
    this.#parts.onMoved()
  }
}

/** Undefined: too much, or nobody knows after what, or the service did not say. */
async function missingIn(
  { between }: TimelineParts,
  { gap, position }: Track,
): Promise<readonly Message[] | undefined> {
  if (!gap || position.id === undefined || gap.seq - position.seq > maxHeld) return undefined
  return between(gap.message, position.id).catch(() => undefined)
}

/** Ids are numbers that grow, written as text. */
function isAfter(id: string, other = '0'): boolean {
  return Number(id) > Number(other)
}
