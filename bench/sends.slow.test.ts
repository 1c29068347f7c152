import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { bench } from './sends.ts'

// The bench has goals. What is asserted is the point below which something broke; waits are held against those of bare,
// which are the machine's.
test('sends over HTTP come near to what bare PostgreSQL does', async () => {
  const { figures, goals } = await runBench(bench, () => undefined)
  expect(figures?.ratio).toBeGreaterThan(0.45)
  expect(figures?.p99AgainstBare).toBeLessThan(10)
  expect(figures?.bytesPerMessage).toBeLessThan(700)
  expect(goals.at(-1)?.value).toBe(0)
}, 1_800_000)
