import type { Position, ServerFrame } from '../contract.generated.ts'

export type MessageFrame = Extract<ServerFrame, { type: 'message' }>
export type ChangedFrame = Extract<ServerFrame, { type: 'changed' }>

/** How far this device has come in a conversation, and the id of the entry there. */
export interface SessionPosition extends Position {
  /** The id of that entry. */
  readonly id?: string
}

/** One conversation: what comes is let through once, and in the order of its seq. */
export interface Track {
  readonly position: SessionPosition
  /** What can be shown now, given this frame. */
  take(frame: MessageFrame | ChangedFrame): readonly (MessageFrame | ChangedFrame)[]
  /** Up to where entries are missing: the first that came too early. */
  readonly gap: MessageFrame | undefined
  /** The last of those that came too early. */
  readonly last: MessageFrame | undefined
  /** What was missing is there; what had to wait for it follows. */
  fill(lastId: string | undefined): readonly (MessageFrame | ChangedFrame)[]
  /** The next connection brings again whatever came too early in this one. */
  forget(): void
}

/** More would mean that nothing fills the gap. */
export const maxHeld = 1000

export function openTrack(start: SessionPosition): Track {
  let position = start
  // Entries after a gap, and changes of entries that are not there yet.
  const early = new Map<number, MessageFrame>()
  let tooSoon: ChangedFrame[] = []
  // Changes of different entries may overtake each other, so each entry has its own last one.
  const shown = new Map<number, number>()
  let shownBefore = start.change

  function show<T extends MessageFrame | ChangedFrame>(frame: T): T {
    const { seq, change, message, type } = frame
    const moved = type === 'message' ? { seq, id: message.id } : {}
    position = { ...position, ...moved, change: Math.max(position.change, change) }
    return frame
  }

  function showChange(frame: ChangedFrame): readonly ChangedFrame[] {
    const { seq, change } = frame
    if (change <= (shown.get(seq) ?? shownBefore)) return []
    if (shown.size >= maxHeld) forgetChanges()
    shown.set(seq, change)
    return [show(frame)]
  }

  function forgetChanges(): void {
    shown.clear()
    shownBefore = position.change
  }

  /** Entries that follow without a gap, and changes that waited for them. */
  function follow(): (MessageFrame | ChangedFrame)[] {
    const ready: (MessageFrame | ChangedFrame)[] = []
    for (let next = early.get(position.seq + 1); next; next = early.get(position.seq + 1)) {
      early.delete(next.seq)
      ready.push(show(next))
    }
    const waiting = tooSoon
    tooSoon = waiting.filter(({ seq }) => seq > position.seq)
    const now = waiting.filter(({ seq }) => seq <= position.seq)
    return [...ready, ...now.flatMap(showChange)]
  }

  return {
    get position() {
      return position
    },
    get gap() {
      return early.get(Math.min(...early.keys()))
    },
    get last() {
      return early.get(Math.max(...early.keys()))
    },
    take(frame) {
      if (frame.type === 'changed') {
        if (frame.seq <= position.seq) return showChange(frame)
        tooSoon.push(frame)
        return []
      }
      if (frame.seq <= position.seq) return []
      early.set(frame.seq, frame)
      return follow()
    },
    fill(lastId) {
      const first = Math.min(...early.keys())
      if (!early.has(first)) return []
      position = { ...position, seq: first - 1, ...(lastId !== undefined && { id: lastId }) }
      return follow()
    },
    forget() {
      early.clear()
      tooSoon = []
      forgetChanges()
    },
  }
}
