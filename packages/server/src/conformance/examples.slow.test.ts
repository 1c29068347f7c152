import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { api } from '@chorale/contract/api'
import type { Example } from '@chorale/contract/examples'
import { expect, test } from 'vitest'
import { recordExamples } from '../../../testing/src/examples/record.ts'
import { examplesFolder, readExamples } from '../http/examples.ts'

/** Figures of what is counted later, by others, and the state of this machine. */
const figures = new Set([
  ...['getStats', 'getMessageStats', 'getAppUsage', 'listUsage'],
  ...['getInstallStatus', 'getSupportedUser', 'getMessageTimeline'],
])

test('the examples of the API reference are what the service answers', async () => {
  const recorded = await recordExamples()
  if (process.env.RECORD_EXAMPLES) write(recorded)
  expect(compared(recorded)).toEqual(compared(readExamples()))
})

function compared(examples: ReadonlyMap<string, Example>) {
  return Object.fromEntries([...examples].filter(([name]) => !figures.has(name)))
}

/** `RECORD_EXAMPLES=1` writes what was recorded, a file for each noun. */
function write(recorded: ReadonlyMap<string, Example>): void {
  rmSync(examplesFolder, { recursive: true, force: true })
  mkdirSync(examplesFolder)
  for (const [noun, operations] of Object.entries(api)) {
    const found = Object.keys(operations).flatMap((name) => {
      const example = recorded.get(name)
      return example ? [[name, example]] : []
    })
    const text = `${JSON.stringify(Object.fromEntries(found), null, 2)}\n`
    writeFileSync(new URL(`${noun}.json`, examplesFolder), text)
  }
}
