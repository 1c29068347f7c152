import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { bench } from './idle.ts'

// What a few seconds can tell on a busy machine: CPU is for the whole form.
test('an install that nobody calls makes few transactions', { timeout: 300_000 }, async () => {
  const { figures } = await runBench(bench, () => undefined, { seconds: 10 })
  expect(figures?.transactions).toBeLessThanOrEqual(5)
})
