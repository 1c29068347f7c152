import type { Condition, GivenCondition } from '@chorale/contract/rules'
import { isClassifier } from './classifiers/classifier-categories.ts'
import {
  bytesOf,
  nothing,
  sumOf,
  type Weight,
  weightOfPatterns,
  weightOfWords,
} from './engine/weight.ts'
import { requireShortWords } from './lists/list-terms.ts'
import { termsIn } from './lists/terms.ts'
import { Objection } from './objection.ts'

export interface Weighed {
  readonly conditions: Condition[]
  /** Of what they say themselves, without the lists that they refer to. */
  readonly weight: Weight
}

/** As they are kept, whichever way the request has spelled them. */
export function conditionsOf(given: readonly GivenCondition[]): Weighed {
  const conditions = given.map(conditionOf)
  const ids = new Set<number>()
  for (const [place, { id }] of conditions.entries()) {
    if (ids.has(id)) throw new Objection(`conditions.${place}.id`, 'Another condition has this id.')
    ids.add(id)
  }
  return { conditions, weight: sumOf(conditions.map(weightOfCondition)) }
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
  if (condition.value.length === 0) throw new Objection(at, 'This field is required.')
  if (isClassifier(condition.category) && !condition.isKeywordsReferencePresent) {
    throw new Objection(
      at,
      'A classifier is a keyword list: name it, with isKeywordReferencePresent.',
    )
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

function weightOfCondition(condition: Condition, place: number): Weight {
  const { category, value, isKeywordsReferencePresent, isMediaPresent } = condition
  const at = `conditions.${place}.value`
  if (isKeywordsReferencePresent || isMediaPresent) return { ...nothing, bytes: bytesOf(value) }
  if (category !== 'pattern') {
    requireShortWords(at, value)
    return weightOfWords(value)
  }
  const weight = weightOfPatterns(value)
  if (typeof weight === 'string') throw new Objection(at, weight)
  return weight
}
