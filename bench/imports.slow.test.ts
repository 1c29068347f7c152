import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './imports.ts'

test('messages are imported at a pace that moves a million in an hour', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
})
