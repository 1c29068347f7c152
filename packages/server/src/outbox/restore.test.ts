import { expect, test, vi } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { settingsFor } from '../../../testing/src/processes/program.ts'
import { beginEpochs, canDump, restoreUnderLoad } from '../../../testing/src/recovery/restore.ts'

// Processes start, and a dump takes its time.
vi.setConfig({ testTimeout: 300_000 })

test.runIf(await canDump())(
  'reliability 2: after a restore no id of a message, event or webhook call is used again',
  async () => {
    await restoreUnderLoad({ messages: 60, atOnce: 4 })
  },
)

test('reliability 2: an operator who restored both engines begins an epoch', async () => {
  await using database = await cloneDatabase()
  expect(await beginEpochs(settingsFor(database.url))).toEqual([1, 8])
})
