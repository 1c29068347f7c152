import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './pushes.ts'

test('a send notices nothing of ten thousand pushes', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
})
