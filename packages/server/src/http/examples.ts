import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Example } from '@chorale/contract/examples'

/** In the published package. */
const copy = new URL('../../examples/', import.meta.url)

/** A file for each noun of the contract, recorded by `conformance/examples.slow.test.ts`. */
export const examplesFolder = existsSync(copy)
  ? copy
  : new URL('../../../contract/examples/', import.meta.url)

/** By the name of the operation. Read when somebody asks for the API reference, not at start. */
export function readExamples(): Map<string, Example> {
  return new Map(
    readdirSync(examplesFolder).flatMap((file) => {
      const text = readFileSync(new URL(file, examplesFolder), 'utf8')
      // A test compares them with the contract.
      return Object.entries(JSON.parse(text)) as [string, Example][]
    }),
  )
}
