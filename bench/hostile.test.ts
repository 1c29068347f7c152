import { expect, test } from 'vitest'
import { type BenchContext, runBench } from './harness/context.ts'
import { underAttacks } from './harness/hostile/storm.ts'
import { missed } from './harness/report.ts'
import { storm as device } from './hostile-device.ts'
import { storm as strangers } from './hostile-strangers.ts'
import { storm as tenant } from './hostile-tenant.ts'

// Seconds say nothing of percentiles and memory: those are for the whole form.
test('strangers, a tenant and a device attack: no send of a neighbour is refused, and nothing is logged as an error', {
  timeout: 300_000,
}, async () => {
  const bench = {
    name: 'hostile',
    summary: 'one storm after the other',
    run: (ctx: BenchContext) => underAttacks(ctx, [strangers, tenant, device]),
  }
  expect(missed(await runBench(bench, () => undefined, { seconds: 5, rows: 5000 }))).toEqual([])
})
