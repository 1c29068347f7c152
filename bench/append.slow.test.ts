import { expect, test } from 'vitest'
import { bench } from './append.ts'
import { runBench } from './harness/context.ts'

// The goals of the bench are 2.2 and 6. What is asserted is the point below which something broke.
test('the batcher does at least 1.6 times what bare PostgreSQL does, and leaves no hole', async () => {
  const { figures, goals } = await runBench(bench, () => undefined)
  expect(figures?.ratio).toBeGreaterThan(1.6)
  expect(figures?.preparedRatio).toBeGreaterThan(4)
  expect(goals.at(-1)?.value).toBe(0)
})
