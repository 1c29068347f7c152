import { test } from 'vitest'
import { restoreUnderLoad } from '../../../testing/src/recovery/restore.ts'

test('reliability 2: after a restore under heavy load no id is used again', async () => {
  await restoreUnderLoad({ messages: 3000, atOnce: 32 })
}, 1_800_000)
