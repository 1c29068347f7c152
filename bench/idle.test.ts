import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { bench } from './idle.ts'

// What half a minute can tell on a busy machine: CPU is for the whole form. In less, what a process does once counts too much.
test('an install that nobody calls makes few transactions', { timeout: 300_000 }, async () => {
  const { figures } = await runBench(bench, () => undefined, { seconds: 30 })
  expect(figures?.transactions).toBeLessThanOrEqual(5)
})
