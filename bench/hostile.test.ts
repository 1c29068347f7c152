import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench as device } from './hostile-device.ts'
import { bench as strangers } from './hostile-strangers.ts'
import { bench as tenant } from './hostile-tenant.ts'

// Seconds say nothing of percentiles and memory: those are for the whole form.
const ofWholeForm = /p99|memory/

test.for([strangers, tenant, device])(
  '$name: no send of a neighbour is refused, and nothing is logged as an error',
  { timeout: 180_000 },
  async (bench) => {
    const report = await runBench(bench, () => undefined, { seconds: 5 })
    expect(missed(report).filter(({ what }) => !ofWholeForm.test(what))).toEqual([])
  },
)
