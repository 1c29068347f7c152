import { expect, test } from 'vitest'
import { publishLeftBehind } from '../../../testing/src/recovery/left-behind.ts'

test('reliability 1: 10,000 receipts left behind at 5 million messages are published within a minute', async () => {
  const ms = await publishLeftBehind({ groups: 50_000, entriesPerGroup: 100, receipts: 10_000 })
  console.log(`10,000 receipts at 5 million messages: published in ${(ms / 1000).toFixed(1)} s`)
  expect(ms).toBeLessThan(60_000)
}, 3_600_000)
