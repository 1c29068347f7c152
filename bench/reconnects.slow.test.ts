import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench } from './reconnects.ts'

test('half of 10,000 devices lose their gateway, and are back within a minute with all they missed', async () => {
  expect(missed(await runBench(bench, () => undefined))).toEqual([])
})
