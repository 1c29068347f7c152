import { afterAll, expect, test } from 'vitest'
import { costOfGroupSize } from '../../../../testing/src/data/group-size.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

test('a send into a group of 100,000 costs at most 1.2 times a send into a group of 10', async () => {
  const { small, large } = await costOfGroupSize(app, 100_000, 200)
  const ratio = large.milliseconds / small.milliseconds
  console.table({ 'group of 10': small, 'group of 100,000': large })
  expect(large.rows).toBe(small.rows)
  // One more now and then: a longer index has more pages to split.
  expect(large.walRecords).toBeLessThanOrEqual(small.walRecords + 2)
  expect(ratio).toBeLessThanOrEqual(1.2)
})
