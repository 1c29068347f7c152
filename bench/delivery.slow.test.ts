import { expect, test } from 'vitest'
import { bench } from './delivery.ts'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'

test('both sides of a conversation hear a message soon after it was sent', async () => {
  const report = await runBench(bench, () => undefined)
  expect(missed(report)).toEqual([])
})
