import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { bench } from './sends.ts'

// The goals of the bench are 1.2, 10 ms and 700 bytes. What is asserted is the point below which something broke; waits
// are held against those of bare, which are the machine's.
test('a send over HTTP costs about as much as bare PostgreSQL does, or less', async () => {
  const { figures, goals } = await runBench(bench, () => undefined)
  expect(figures?.ratio).toBeGreaterThan(0.9)
  expect(figures?.p99AgainstBare).toBeLessThan(8)
  expect(figures?.bytesPerMessage).toBeLessThan(900)
  expect(goals.at(-1)?.value).toBe(0)
})
