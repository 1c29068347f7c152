import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { bench } from './idle.ts'

// The goal of the bench is 1. What is asserted is the point above which something polls again.
test('an install that nobody calls takes 2% of a core at most, and makes 5 transactions a second', async () => {
  const { figures } = await runBench(bench, () => undefined)
  expect(figures?.percent).toBeLessThanOrEqual(2)
  expect(figures?.transactions).toBeLessThanOrEqual(5)
})
