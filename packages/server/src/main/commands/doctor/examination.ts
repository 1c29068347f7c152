import { ConfigError } from '../../../config.ts'
import { type Check, type Finding, failure, messageOf } from './check.ts'
import { configurationChecks } from './configuration.ts'
import { counterChecks } from './counters.ts'
import { databaseChecks } from './database.ts'
import { durability } from './durability.ts'
import { natsChecks } from './nats.ts'
import { queueChecks } from './queues.ts'
import { schemaChecks } from './schema.ts'
import type { Subject } from './subject.ts'

/** In this order; each is skipped when one that it needs has failed. */
export const allChecks: readonly Check[] = [
  ...configurationChecks,
  ...databaseChecks,
  durability,
  ...schemaChecks,
  ...natsChecks,
  ...queueChecks,
  ...counterChecks,
]

export interface Result {
  readonly check: string
  readonly level: Finding['level'] | 'repaired' | 'skipped'
  readonly text: string
  readonly remedy?: string
}

export interface ExaminationOptions {
  readonly repair: boolean
  readonly report: (line: string) => void
}

export async function examine(
  subject: Subject,
  checks: readonly Check[],
  { repair, report }: ExaminationOptions,
): Promise<Result[]> {
  const results: Result[] = []
  const failed = new Set<string>()
  for (const check of checks) {
    const blockedBy = check.needs.find((name) => failed.has(name))
    if (blockedBy) {
      failed.add(check.name)
      results.push({ check: check.name, level: 'skipped', text: `not checked: see ${blockedBy}` })
      continue
    }
    report(`checking ${check.name}`)
    const result = await examineOne(subject, check, repair ? report : undefined)
    if (result.level === 'failure') failed.add(check.name)
    results.push(result)
  }
  return results
}

async function examineOne(
  subject: Subject,
  check: Check,
  repairing: ExaminationOptions['report'] | undefined,
): Promise<Result> {
  const { repair, ...finding } = await run(subject, check)
  if (!repair || !repairing) return { check: check.name, ...finding }
  try {
    repairing(`repairing ${check.name}`)
    const done = await repair((line) => repairing(`repairing ${check.name}: ${line}`))
    const { repair: _, ...after } = await run(subject, check)
    if (after.level !== 'ok') return { check: check.name, ...after }
    return { check: check.name, level: 'repaired', text: `${finding.text} Repaired: ${done}.` }
  } catch (error) {
    const text = `${finding.text} The repair failed: ${messageOf(error)}`
    return { check: check.name, ...finding, text }
  }
}

async function run(subject: Subject, check: Check): Promise<Finding> {
  try {
    return await check.run(subject)
  } catch (error) {
    if (error instanceof ConfigError) {
      return failure(error.message, 'Correct the setting (docs/settings.md).')
    }
    return failure(`The check failed: ${messageOf(error)}.`, 'Look at the log of the engine.')
  }
}
