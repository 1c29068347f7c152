import type { Condition, GivenCondition } from '@chorale/contract/moderation'
import type { AppDb } from '../../database/app-db.ts'
import { badRequest } from '../../pipeline/failure.ts'
import { defaultLists } from './default-rules.ts'
import { objectionToPattern } from './engine/patterns.ts'
import { isJudge } from './judge-lists.ts'
import { findActiveList } from './keyword-lists.sql.ts'
import { termsIn } from './terms.ts'

/** As they are kept, whichever way the request has spelled them. */
export function conditionsOf(given: readonly GivenCondition[]): Condition[] {
  const conditions = given.map(conditionOf)
  const ids = new Set<number>()
  for (const [place, { id }] of conditions.entries()) {
    if (ids.has(id)) throw badRequest(`conditions.${place}.id`, 'Another condition has this id.')
    ids.add(id)
  }
  return conditions
}

function conditionOf(given: GivenCondition, place: number): Condition {
  const { message, disguises } = given
  const condition: Condition = {
    id: given.id ?? place + 1,
    isKeywordsReferencePresent: refersToList(given),
    isMediaPresent: given.isMediaPresent ?? false,
    entity: given.entity ?? 'message',
    operand: given.operand ?? 'text',
    category: given.category ?? 'word',
    operator: given.operator ?? 'contains',
    value: valuesOf(given),
    ...(message && { message }),
    ...(disguises !== undefined && { disguises }),
  }
  const at = `conditions.${place}.value`
  if (condition.value.length === 0) throw badRequest(at, 'This field is required.')
  if (isPattern(condition)) checkPatterns(at, condition.value)
  if (isJudge(condition.category) && !condition.isKeywordsReferencePresent) {
    throw badRequest(at, 'A judge is a keyword list: name it, with isKeywordReferencePresent.')
  }
  return condition
}

/** One flag, which has been spelled in three ways. */
function refersToList(given: GivenCondition): boolean {
  const { isKeywordReferencePresent, isKeywordsReferencePresent, isListReferencePresent } = given
  return Boolean(isKeywordReferencePresent || isKeywordsReferencePresent || isListReferencePresent)
}

function valuesOf(given: GivenCondition): string[] {
  const { value = '', category = 'word' } = given
  if (refersToList(given)) return termsIn([value].flat().join(',').toLowerCase(), 'word')
  if (typeof value !== 'string') return [...value]
  if (category === 'word' && !given.isMediaPresent) return termsIn(value, 'word')
  return value === '' ? [] : [value]
}

function isPattern(condition: Condition): boolean {
  return condition.category === 'pattern' && !condition.isKeywordsReferencePresent
}

export function checkPatterns(at: string, patterns: readonly string[]): void {
  for (const pattern of patterns) {
    const objection = objectionToPattern(pattern)
    if (objection) throw badRequest(at, objection)
  }
}

/** The lists that conditions refer to exist, and hold what the conditions look for. */
export async function checkReferences(db: AppDb, conditions: readonly Condition[]): Promise<void> {
  for (const [place, condition] of conditions.entries()) {
    if (!condition.isKeywordsReferencePresent) continue
    for (const id of condition.value) {
      const list = (await findActiveList(db, id)) ?? defaultLists.get(id)
      if (!list) throw badRequest(`conditions.${place}.value`, `There is no keyword list ${id}.`)
      if (list.category !== condition.category) {
        const holds = `The keyword list ${id} is of the category ${list.category}.`
        throw badRequest(`conditions.${place}.category`, holds)
      }
    }
  }
}
