import { expect, test } from 'vitest'
import { bench } from './fanout.ts'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'

test('the gateway passes on at least three times what ws alone does, soon, and a socket costs little', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
})
