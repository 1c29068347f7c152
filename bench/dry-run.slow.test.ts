import { expect, test } from 'vitest'
import { bench } from './dry-run.ts'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'

test('a rule is tried out on a million messages within a minute, and sends hardly notice', async () => {
  expect(missed(await runBench(bench, () => undefined))).toEqual([])
})
