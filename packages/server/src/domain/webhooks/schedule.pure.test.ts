import { expect, test } from 'vitest'
import { retryAfterMs } from './schedule.ts'

const unitMs = 10_000
const hourMs = 3_600_000
const pauseAfter = (tries: number, elapsedMs = 0, retryHours = 1000) =>
  retryAfterMs({ retryOnFailure: true, retryHours, tries, elapsedMs }, unitMs)

test('retries come after 10 and 30 seconds, then after one minute, two, four, up to an hour', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((tries) => pauseAfter(tries))
  const minutes = [1, 2, 4, 8, 16, 32, 60, 60].map((n) => n * 60_000)
  expect(pauses).toEqual([10_000, 30_000, ...minutes])
})

test('a late retry that would come after the last hour is none', () => {
  expect(pauseAfter(3, hourMs - 60_000, 1)).toBe(60_000)
  expect(pauseAfter(3, hourMs - 59_999, 1)).toBeUndefined()
})
