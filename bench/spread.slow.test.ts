import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './spread.ts'

test('calls cost no more than 1.2 times as much with 200 apps, or 100,000 conversations', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
}, 1_800_000)
