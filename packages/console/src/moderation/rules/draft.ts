import type { OperationInputs, OperationOutputs } from '@chorale/sdk'
import { termsOf } from '../queue/marked-text.tsx'

export type Rule = OperationOutputs['getRule']['data']
type Body = NonNullable<OperationInputs['createRule']['body']>
export type Filter = NonNullable<Body['filters']>[number]
export const actions = [
  'blockMessage',
  'dropMessage',
  'flagMessage',
  'kickUser',
  'banUser',
  'blockUser',
] as const
export const kinds = ['word', 'pattern', 'list', 'customApi', 'openai'] as const
export const operands = ['text', 'custom', 'link', 'image', 'video', 'audio', 'file'] as const

export interface DraftCondition {
  readonly kind: (typeof kinds)[number]
  readonly operand: Rule['conditions'][number]['operand']
  readonly value: string
  readonly disguises: boolean
}

/** A rule while it is edited. */
export interface Draft {
  readonly name: string
  readonly description: string
  readonly enabled: boolean
  readonly action: Rule['action']
  readonly conditions: readonly DraftCondition[]
  readonly filters: readonly Filter[]
}

export const newCondition: DraftCondition = {
  kind: 'word',
  operand: 'text',
  value: '',
  disguises: false,
}

export const newFilter: Filter = {
  type: 'sender',
  entity: 'user',
  operand: 'role',
  operator: 'equals',
  value: '',
}

export const emptyDraft: Draft = {
  name: '',
  description: '',
  enabled: true,
  action: ['blockMessage'],
  conditions: [newCondition],
  filters: [],
}

export function draftOf({ name, description, enabled, action, conditions, filters }: Rule): Draft {
  return {
    name,
    description,
    enabled,
    action,
    filters,
    conditions: conditions.map((condition) => ({
      kind: kindOf(condition),
      operand: condition.operand,
      value: condition.value.join(', '),
      disguises: condition.disguises ?? false,
    })),
  }
}

function kindOf({ category, isKeywordsReferencePresent }: Rule['conditions'][number]) {
  const isList = isKeywordsReferencePresent && (category === 'word' || category === 'pattern')
  return isList ? 'list' : category
}

/** As the service takes it. `categories`: of the lists, by id. */
export function bodyOf(draft: Draft, categories: ReadonlyMap<string, string>): Body {
  const { name, description, enabled, action, filters, conditions } = draft
  return {
    ...(name !== '' && { name }),
    description,
    enabled,
    action: [...action],
    filters: [...filters],
    conditions: conditions.map(({ kind, operand, value, disguises }) => {
      const isReference = kind === 'list' || kind === 'customApi' || kind === 'openai'
      const first = value.split(',')[0]?.trim() ?? ''
      const ofList = categories.get(first) === 'pattern' ? 'pattern' : 'word'
      return {
        operand,
        category: kind === 'list' ? ofList : kind,
        value,
        ...(isReference && { isKeywordReferencePresent: true }),
        ...(disguises && { disguises }),
      }
    }),
  }
}

/** What the browser can find of it. `terms`: of the lists, by id. */
export function termsIn(
  { conditions }: Draft,
  terms: ReadonlyMap<
    string,
    { readonly category: string; readonly searchTerms: readonly string[] }
  >,
): RegExp[] {
  return conditions.flatMap(({ kind, value }) => {
    if (kind === 'pattern') return termsOf('pattern', [value])
    const values = value.split(',').map((one) => one.trim())
    if (kind === 'word') return termsOf('word', values)
    return values.flatMap((id) => {
      const list = terms.get(id)
      return list ? termsOf(list.category, list.searchTerms) : []
    })
  })
}
