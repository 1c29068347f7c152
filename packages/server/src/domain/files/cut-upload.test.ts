import { expect, test } from 'vitest'
import { uploadThroughCuts } from '../../../../testing/src/files/cut-upload.ts'

test('a file comes whole over a network that breaks, with a pause and an api process that is killed', async () => {
  const done = await uploadThroughCuts({
    megabytes: 8,
    warmMegabytes: 5,
    bytesPerSecond: 8_000_000,
    // A part has 1 MiB: of nine connections, each is cut in two of three cases.
    cutAfterBytes: 1_500_000,
  })
  console.log(`8 MB over a bad network: ${JSON.stringify(done)}`)
  expect(done).toMatchObject({ movedWhilePaused: false, isIdentical: true })
  expect(done.cuts).toBeGreaterThan(0)
}, 120_000)
