import { expect, test } from 'vitest'
import { bench } from './fanout.ts'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'

// The goal for p99 is 50 ms. What is asserted is the point above which something broke.
test('the gateway passes on at least three times what ws alone does, and a socket costs little', async () => {
  const report = await runBench(bench, () => undefined)
  const ofLatency = report.goals.filter(({ what }) => what.startsWith('p99'))
  expect(missed(report).filter((goal) => !ofLatency.includes(goal))).toEqual([])
  for (const { value } of ofLatency) expect(value).toBeLessThan(250)
})
