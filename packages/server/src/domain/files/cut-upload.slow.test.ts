import { expect, test } from 'vitest'
import { uploadThroughCuts } from '../../../../testing/src/files/cut-upload.ts'

const maxGrowth = 20

test('100 MB come whole over a network that breaks, and memory stays flat', async () => {
  const done = await uploadThroughCuts({
    megabytes: 100,
    warmMegabytes: 200,
    bytesPerSecond: 4_000_000,
    cutAfterBytes: 6_000_000,
  })
  console.log(`100 MB over a bad network: ${JSON.stringify(done)}`)
  expect(done).toMatchObject({ movedWhilePaused: false, isIdentical: true })
  expect(done.cuts).toBeGreaterThan(10)
  for (const { warm, most } of done.memory) expect(most - warm).toBeLessThanOrEqual(maxGrowth)
})
