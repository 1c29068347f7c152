import { Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import { defaultLists } from './default-rules.ts'
import { maxInForce, sumOf, type Weight, weightOfWords } from './engine/weight.ts'
import {
  forgetListRevisions,
  forgetRuleRevisions,
  type Load,
  type RevisionQuota,
  weighApp,
} from './in-force.sql.ts'

/** Of all rules and lists of an app, in UTF-8. A page that shows all of them is that long. */
const maxStoredBytes = 2_000_000
/** Of rules, and as much of lists. */
const revisionQuota: RevisionQuota = { rows: 1000, bytes: 2_000_000 }

const weightsOfDefaults = Object.fromEntries(
  [...defaultLists].map(([id, { searchTerms }]) => [id, weightOfWords(searchTerms)]),
)

const kinds = [
  ['words', 'words'],
  ['bytes', 'bytes of terms'],
  ['patterns', 'patterns'],
  ['work', 'steps that patterns may take'],
] as const

const advice = 'in force (a list counts for each condition that refers to it; disable rules)'

/**
 * Makes the change, and refuses it if the app then has more than it may. The app is locked, so nobody
 * else adds to the sum. A change that makes too much less is let through.
 */
export async function withinLimits<T>({ db }: WriteCtx, change: () => Promise<T>): Promise<T> {
  const before = await weighApp(db, weightsOfDefaults)
  const answer = await change()
  refuseExcess(await weighApp(db, weightsOfDefaults), before)
  await forgetRuleRevisions(db, revisionQuota)
  await forgetListRevisions(db, revisionQuota)
  return answer
}

function refuseExcess({ inForce, storedBytes }: Load, before: Load): void {
  for (const [kind, name] of kinds) {
    const limit = maxInForce[kind]
    if (inForce[kind] <= limit || inForce[kind] <= before.inForce[kind]) continue
    throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit, what: `${name} ${advice}` })
  }
  if (storedBytes <= maxStoredBytes || storedBytes <= before.storedBytes) return
  const what = 'bytes of terms in all rules and lists'
  throw new Failure('ERR_PLAN_QUOTA_RESTRICTION', { limit: maxStoredBytes, what })
}

/** A rule that is only tried is held to what could be in force. */
export function refuseTooHeavy(weights: readonly Weight[]): void {
  const nobody = { inForce: sumOf([]), storedBytes: 0 }
  refuseExcess({ inForce: sumOf(weights), storedBytes: 0 }, nobody)
}
