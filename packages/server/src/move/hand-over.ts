import { setTimeout as sleep } from 'node:timers/promises'
import { PlainError } from '../plain-error.ts'
import {
  catchUp,
  newestId,
  overlapSeconds,
  Recent,
  requireRun,
  shortOverlapSeconds,
} from './follow.ts'
import type { Heard } from './heard.ts'
import type { Moving } from './moving.ts'
import { catchUpOnHeard } from './touched.ts'

/** With rounds that take longer, too much would be left when writes are stopped. */
const shortRoundMs = 1000
/** Calls that were under way end, and webhooks that tell of them come. */
const quietMs = 300
const pauseMs = 50
/** A message is seen at most so much later than it was sent: the service gives up after that. */
const longestCallSeconds = 12

export interface HandOverParts {
  readonly heard: Heard
  /** Stops writes on the old side. */
  hold(): Promise<void>
  /** Undoes that. */
  release(): Promise<void>
  /** Sends everybody to the new side. */
  switchOver(): Promise<void>
  /** After each round. */
  told(messages: number): void
}

/**
 * Follows until little is left, stops writes on the old side, brings the last of them over, and sends
 * everybody to the new side. If that fails, the old side takes writes again. Returns for how long
 * nobody could write.
 */
export async function handOver(moving: Moving, parts: HandOverParts): Promise<{ heldMs: number }> {
  requireRun(moving)
  const round = openRounds(moving, parts)
  let wholeAt = 0
  for (let tookMs = Infinity; tookMs > shortRoundMs; ) {
    wholeAt = performance.now()
    await round(overlapSeconds)
    const startedAt = performance.now()
    await round(shortOverlapSeconds)
    tookMs = performance.now() - startedAt
  }
  try {
    await parts.hold()
    const heldAt = performance.now()
    await round(Math.ceil((heldAt - wholeAt) / 1000) + longestCallSeconds)
    for (let quietSince = performance.now(); performance.now() - quietSince < quietMs; ) {
      await sleep(pauseMs)
      if (await round(shortOverlapSeconds)) quietSince = performance.now()
    }
    await markCutOver(moving)
    await parts.switchOver()
    return { heldMs: performance.now() - heldAt }
  } catch (error) {
    await parts.release().catch((second: unknown) => {
      const texts = [error, second].map((one) => (one instanceof Error ? one.message : String(one)))
      throw new PlainError(`${texts.join(' ')} Release the old side by hand: it may be held.`)
    })
    throw error
  }
}

/** A round reads so many seconds again, and says whether there was anything new. */
function openRounds(moving: Moving, { heard, told }: HandOverParts) {
  const recent = new Recent()
  return async (overlap: number): Promise<boolean> => {
    const before = heard.end()
    const { messages } = await catchUp(moving, heard, recent, overlap)
    const end = heard.end()
    await catchUpOnHeard(moving, heard, end, {})
    told(messages)
    return messages > 0 || end > before
  }
}

/** Where `chorale move back` begins. */
async function markCutOver({ to, state }: Moving): Promise<void> {
  const { count } = state.step('follow')
  const sentAt = Math.floor(Date.now() / 1000)
  state.save('cut-over', { done: true, count, lastId: await newestId(to), sentAt })
}
