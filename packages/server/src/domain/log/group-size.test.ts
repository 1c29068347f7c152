import { afterAll, expect, test } from 'vitest'
import { costOfGroupSize } from '../../../../testing/src/data/group-size.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

// The short form looks at rows, not at time: those do not depend on what else the machine does.
test('a send writes as many rows in a group of 5,000 as in a group of 10', async () => {
  const { small, large } = await costOfGroupSize(app, 5000, 10)
  // The head, the own-count of the sender, the entry, the receipt of the batch.
  expect(small.rows).toBe(4)
  expect(large.rows).toBe(4)
  // One more now and then: a longer index has more pages to split.
  expect(large.walRecords).toBeLessThanOrEqual(small.walRecords + 2)
})
