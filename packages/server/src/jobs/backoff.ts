/** Pauses between attempts: how each queue retries. */
export interface Backoff {
  /** Before the second attempt. */
  readonly firstMs: number
  /** By itself 2. */
  readonly factor?: number
  readonly maxMs?: number
  /** What failed together is not tried again together: half of the pause, or up to half more. */
  readonly jitter?: boolean
}

/** The pause after this attempt; the first is 1. */
export function pauseMs(
  { firstMs, factor = 2, maxMs = Number.POSITIVE_INFINITY, jitter = false }: Backoff,
  attempt: number,
): number {
  const ms = Math.min(firstMs * factor ** (attempt - 1), maxMs)
  return jitter ? ms * (0.5 + Math.random()) : ms
}
