import type { Condition, Operand } from '@chorale/contract/rules'
import { nothing, weightOfWords } from './engine/weight.ts'
import type { KeywordListRow } from './lists/keyword-lists.sql.ts'
import { profanities } from './lists/profanities.ts'
import type { RuleRow } from './rules.sql.ts'

/** When the defaults were written: they are as old in every app. */
export const writtenAt = 1_763_164_800

const times = { createdAt: writtenAt, updatedAt: writtenAt }

/** The keyword lists that every app has. Their revision grows with what a release changes in them. */
export const defaultLists: ReadonlyMap<string, KeywordListRow> = byId([
  {
    id: 'profanity-list',
    revision: 1,
    active: true,
    name: 'Profanities',
    description: 'Coarse words of several languages.',
    category: 'word',
    isCSV: false,
    searchTerms: [...profanities],
    weight: weightOfWords(profanities),
    classifier: null,
    classifierSecret: null,
    ...times,
  },
])

const email = String.raw`[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}`
/** Nine to fifteen digits, with what people put between them: a date has eight. */
const telephone = String.raw`(?:\+|\b)\d(?:[ ().\/-]{0,2}\d){8,14}\b`
const handle = String.raw`\b(?:wa\.me|t\.me|telegram\.me|m\.me|signal\.me)/\S`

/** The rules that every app has. None is in force before somebody enables it. */
export const defaultRules: ReadonlyMap<string, RuleRow> = byId([
  rule('text-profanity-filter', 'Profanities in texts', profanity('text')),
  rule('custom-profanity-filter', 'Profanities in custom messages', profanity('custom')),
  rule('contact_details_filter', 'Telephone numbers and handles', pattern(telephone, handle)),
  rule('email_filter', 'E-mail addresses', pattern(email)),
])

function rule(id: string, name: string, condition: Condition): RuleRow {
  return {
    id,
    revision: 1,
    since: 1,
    active: true,
    name,
    description: '',
    enabled: false,
    filters: [],
    conditions: [condition],
    actions: ['blockMessage'],
    // Ours: what everybody has is not counted.
    weight: nothing,
    ...times,
  }
}

function profanity(operand: Operand): Condition {
  return {
    id: 1,
    isKeywordsReferencePresent: true,
    isMediaPresent: false,
    entity: 'message',
    operand,
    category: 'word',
    operator: 'contains',
    value: ['profanity-list'],
    disguises: true,
  }
}

function pattern(...value: string[]): Condition {
  return {
    id: 1,
    isKeywordsReferencePresent: false,
    isMediaPresent: false,
    entity: 'message',
    operand: 'text',
    category: 'pattern',
    operator: 'contains',
    value,
  }
}

function byId<T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [row.id, row]))
}
