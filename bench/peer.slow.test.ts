import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './peer.ts'

test('three times the messages of ejabberd at half of its p99, each of them archived', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
})
