import { test } from 'vitest'
import { publishLeftBehind } from '../../../testing/src/recovery/left-behind.ts'

test('reliability 1: what was left behind is published when NATS is back', async () => {
  await publishLeftBehind({ groups: 4000, entriesPerGroup: 5, receipts: 1000 })
}, 300_000)
