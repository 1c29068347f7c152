import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './users.ts'

test('a million users cost no more than 1.5 times what ten thousand cost', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
})
