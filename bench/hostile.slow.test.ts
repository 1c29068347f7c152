import { expect, test } from 'vitest'
import { runBench } from './harness/context.ts'
import { missed } from './harness/report.ts'
import { bench as device } from './hostile-device.ts'
import { bench as strangers } from './hostile-strangers.ts'
import { bench as tenant } from './hostile-tenant.ts'

const minutes = 60_000

test.for([strangers, tenant, device])(
  '$name: a neighbour sends on, and memory stays flat',
  { timeout: 10 * minutes },
  async (bench) => {
    expect(missed(await runBench(bench, () => undefined))).toEqual([])
  },
)
