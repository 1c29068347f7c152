import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { allOperations, type OperationName } from '@chorale/contract/api'
import { pipelineErrors } from '@chorale/contract/operation'
import { coverageFolder } from './coverage-folder.ts'

const seen = new Set<string>()

/** Notes an answer: `ok` or an error code. Throws when the contract does not know it. */
export function note(name: OperationName, answer: string): void {
  const operation = allOperations.get(name)
  const declared: readonly string[] = ['ok', ...(operation?.errors ?? []), ...pipelineErrors]
  if (!declared.includes(answer))
    throw new Error(`${name} answered ${answer}, which it does not declare.`)
  const line = `${name} ${answer}`
  if (seen.has(line)) return
  seen.add(line)
  mkdirSync(coverageFolder, { recursive: true })
  appendFileSync(join(coverageFolder, `${process.pid}.txt`), `${line}\n`)
}
