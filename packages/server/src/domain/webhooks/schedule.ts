import { pauseMs } from '../../jobs/backoff.ts'

/** Retries, in units of the first pause: early ones, then further and further apart, up to an hour. */
const early = [1, 3]
const firstLate = 6
const widest = 360
const unitsPerHour = 360
/** How long what could not be tried at all may wait for its turn. */
const unitsOfPatience = 6

interface Trying {
  readonly retryOnFailure: boolean
  readonly retryHours: number
  /** Attempts so far, this one included. */
  readonly tries: number
  readonly elapsedMs: number
}

/** How long to wait before the next attempt; undefined: there is none. */
export function retryAfterMs(trying: Trying, unitMs: number): number | undefined {
  const { retryOnFailure, retryHours, tries, elapsedMs } = trying
  if (!retryOnFailure) return undefined
  const soon = early[tries - 1]
  if (soon !== undefined) return soon * unitMs
  const backoff = { firstMs: firstLate * unitMs, maxMs: widest * unitMs }
  const late = pauseMs(backoff, tries - early.length)
  return elapsedMs + late <= retryHours * unitsPerHour * unitMs ? late : undefined
}

/** Whether what could not be tried may still wait. */
export function mayWait({ retryHours, elapsedMs }: Trying, unitMs: number): boolean {
  return elapsedMs <= Math.max(unitsOfPatience, retryHours * unitsPerHour) * unitMs
}
