import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './history.ts'

test('a page of history over HTTP does 0.6 of what bare PostgreSQL does, at 5 million', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
}, 1_800_000)
