import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { bench } from './sends.ts'

// The goals of the bench are 1.2, 10 ms and 700 bytes. What is asserted is the point below which something broke.
test('a send over HTTP costs about as much as bare PostgreSQL does, or less', async () => {
  const { figures, goals } = await runBench(bench, () => undefined)
  expect(figures?.ratio).toBeGreaterThan(0.9)
  expect(goals.find(({ what }) => what.startsWith('p99'))?.value).toBeLessThan(25)
  expect(figures?.bytesPerMessage).toBeLessThan(900)
  expect(goals.at(-1)?.value).toBe(0)
})
