import type { Message } from '@chorale/contract/conversations'
import type { Position, ServerFrame } from '@chorale/contract/frames'
import {
  type ChangedFrame,
  type MessageFrame,
  maxHeld,
  openTrack,
  type Place,
  type Track,
} from './track.ts'

type Frame = Extract<ServerFrame, { type: 'message' | 'changed' | 'reload' | 'left' }>

/** By conversation id. */
export type Places = Readonly<Record<string, Place>>

export interface Entry {
  readonly conversationId: string
  readonly message: Message
}

export interface TimelineParts {
  readonly places: Places
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
  readonly places: Places
  welcome(positions: Readonly<Record<string, Position>>): void
  hear(frame: Frame): void
  /** The connection is gone: the next one goes on from `places`. */
  lose(): void
}

export function openTimeline(parts: TimelineParts): Timeline {
  const tracks = new Map<string, Track>()
  const repairs = new Map<string, ReturnType<typeof setTimeout>>()
  for (const [id, place] of Object.entries(parts.places)) tracks.set(id, openTrack(place))

  function show(frames: readonly (MessageFrame | ChangedFrame)[]): void {
    for (const { type, conversationId, message } of frames) {
      if (type === 'message') parts.onMessage({ conversationId, message })
      else parts.onChanged({ conversationId, message })
    }
    if (frames.length > 0) parts.onMoved()
  }

  function take(frame: MessageFrame | ChangedFrame): void {
    const { conversationId: id, seq, change } = frame
    // Of a conversation that begins now, nothing before its first frame is missing.
    const before = frame.type === 'message' ? seq - 1 : seq
    const track = tracks.get(id) ?? openTrack({ seq: before, change: change - 1 })
    tracks.set(id, track)
    show(track.take(frame))
    watch(id, track)
  }

  function watch(id: string, track: Track): void {
    if (!track.gap) stopRepair(id)
    else if (!repairs.has(id)) {
      const timer = setTimeout(() => void repair(id, track), parts.patienceMs)
      repairs.set(id, timer)
    }
  }

  async function repair(id: string, track: Track): Promise<void> {
    const mine = repairs.get(id)
    const found = await missingIn(parts, track)
    // Meanwhile what was missing may have come, or the connection may have gone.
    const { gap, last, place } = track
    if (repairs.get(id) !== mine || !gap || !last) return
    stopRepair(id)
    // It cannot be had one by one.
    if (!found) return goOnFrom(id, { ...last, id: last.message.id })
    const missed = found.filter(
      (one) => isAfter(one.id, place.id) && isAfter(gap.message.id, one.id),
    )
    for (const message of missed) parts.onMessage({ conversationId: id, message })
    show(track.fill(missed.at(-1)?.id))
    watch(id, track)
  }

  function stopRepair(id: string): void {
    clearTimeout(repairs.get(id))
    repairs.delete(id)
  }

  function goOnFrom(conversationId: string, { seq, change, id }: Place): void {
    stopRepair(conversationId)
    tracks.set(conversationId, openTrack({ seq, change, ...(id !== undefined && { id }) }))
    parts.onReload({ conversationId })
    parts.onMoved()
  }

  return {
    get places() {
      return Object.fromEntries([...tracks].map(([id, { place }]) => [id, place]))
    },
    welcome(positions) {
      for (const [id, position] of Object.entries(positions)) {
        if (!tracks.has(id)) tracks.set(id, openTrack(position))
      }
      parts.onMoved()
    },
    hear(frame) {
      const { conversationId: id } = frame
      if (frame.type === 'reload') goOnFrom(id, frame.position)
      else if (frame.type === 'left') {
        stopRepair(id)
        tracks.delete(id)
        parts.onLeft({ conversationId: id })
        parts.onMoved()
      } else take(frame)
    },
    lose() {
      for (const id of [...repairs.keys()]) stopRepair(id)
      for (const track of tracks.values()) track.forget()
    },
  }
}

/** Undefined: too much, or nobody knows after what, or the service did not say. */
async function missingIn(
  { between }: TimelineParts,
  { gap, place }: Track,
): Promise<readonly Message[] | undefined> {
  if (!gap || place.id === undefined || gap.seq - place.seq > maxHeld) return undefined
  return between(gap.message, place.id).catch(() => undefined)
}

/** Ids are numbers that grow, written as text. */
function isAfter(id: string, other = '0'): boolean {
  return Number(id) > Number(other)
}
