import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allOperations } from '../packages/contract/src/api.ts'
import { pipelineErrors } from '../packages/contract/src/operation.ts'
import { coverageFolder } from '../packages/testing/src/service/coverage-folder.ts'

// What the contract promises and no test has seen. Run after the tests, which note their answers.

/** What any call may answer, but only when something breaks: tests of failures provoke them. */
const onlyInTrouble: readonly string[] = ['ERR_EXCEPTION', 'ERR_MISSION_FAILED']

interface Promised {
  readonly errors: readonly string[]
}

export interface Gap {
  /** `any` for an error that any call may answer. */
  readonly operation: string
  /** `ok` or an error code. */
  readonly answers: readonly string[]
}

/** Every operation must have succeeded and been refused in each way it declares. */
export function gapsOf(
  operations: ReadonlyMap<string, Promised>,
  route: readonly string[],
  seen: ReadonlySet<string>,
): Gap[] {
  const anywhere = new Set([...seen].map((line) => line.split(' ')[1]))
  const everywhere = route.filter((code) => !onlyInTrouble.includes(code) && !anywhere.has(code))
  const gaps = [...operations].map(([operation, { errors }]) => ({
    operation,
    answers: ['ok', ...errors].filter((answer) => !seen.has(`${operation} ${answer}`)),
  }))
  return [...gaps, { operation: 'any', answers: everywhere }].filter(
    ({ answers }) => answers.length > 0,
  )
}

/** Lines `operation answer`, as every test process noted them. */
function readSeen(): Set<string> {
  const files = existsSync(coverageFolder) ? readdirSync(coverageFolder) : []
  return new Set(
    files.flatMap((file) =>
      readFileSync(join(coverageFolder, file), 'utf8').split('\n').filter(Boolean),
    ),
  )
}

function main(): void {
  const seen = readSeen()
  if (seen.size === 0) {
    console.error('No answers are noted: run `npm test` first.')
    process.exitCode = 1
    return
  }
  const gaps = gapsOf(allOperations, pipelineErrors, seen)
  if (gaps.length === 0) return
  const width = Math.max(...gaps.map(({ operation }) => operation.length))
  console.error('Promised by the contract, seen by no test:\n')
  for (const { operation, answers } of gaps) {
    console.error(`  ${operation.padEnd(width)}  ${answers.join(', ')}`)
  }
  process.exitCode = 1
}

if (import.meta.main) main()
