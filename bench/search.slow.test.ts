import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './search.ts'

test('a search costs about the same in a large conversation and for a user of many', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
})
