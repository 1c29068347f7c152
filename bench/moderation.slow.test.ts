import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './moderation.ts'

test('a hundred rules take 30 µs of CPU for a text with re2, and 150 without', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
}, 300_000)
