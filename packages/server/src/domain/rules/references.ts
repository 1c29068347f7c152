import type { Condition } from '@chorale/contract/rules'
import type { AppDb } from '../../database/app-db.ts'
import { badRequest } from '../../pipeline/failure.ts'
import { defaultLists } from './default-rules.ts'
import type { Weight } from './engine/weight.ts'
import { findListSummary } from './lists/keyword-lists.sql.ts'

/** The lists that conditions refer to exist, and hold what they look for. How much all of that is. */
export async function checkReferences(
  db: AppDb,
  conditions: readonly Condition[],
): Promise<Weight[]> {
  const weights: Weight[] = []
  for (const [place, condition] of conditions.entries()) {
    if (!condition.isKeywordsReferencePresent) continue
    for (const id of condition.value) {
      const list = (await findListSummary(db, id)) ?? defaultLists.get(id)
      if (!list) throw badRequest(`conditions.${place}.value`, `There is no keyword list ${id}.`)
      if (list.category !== condition.category) {
        const holds = `The keyword list ${id} is of the category ${list.category}.`
        throw badRequest(`conditions.${place}.category`, holds)
      }
      if (list.weight) weights.push(list.weight)
    }
  }
  return weights
}
