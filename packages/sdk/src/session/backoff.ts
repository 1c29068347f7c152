export interface Backoff {
  /** The window that the first delay is drawn from; it doubles with every further attempt. */
  readonly baseMs: number
  readonly maxMs: number
  /** From 0 to 1. */
  readonly random: () => number
}

/** Anything from nothing to the whole window, so that many clients do not come at once. */
export function delayOf(attempt: number, { baseMs, maxMs, random }: Backoff): number {
  return random() * Math.min(maxMs, baseMs * 2 ** attempt)
}
