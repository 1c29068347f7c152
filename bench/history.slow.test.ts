import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { bench } from './history.ts'

// The bench has goals. What is asserted is the point below which something broke.
test('pages of history over HTTP come near to what bare PostgreSQL does, at 5 million', async () => {
  const { goals } = await runBench(bench, () => undefined)
  for (const { what, value } of goals) expect(value, what).toBeGreaterThan(0.12)
}, 1_800_000)
