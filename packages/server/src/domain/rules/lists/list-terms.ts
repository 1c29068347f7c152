import { isUtf8 } from 'node:buffer'
import type { ListCategory } from '@chorale/contract/rules'
import { bytesOf, nothing, type Weight, weightOfPatterns, weightOfWords } from '../engine/weight.ts'
import { Objection } from '../objection.ts'
import { termsIn } from './terms.ts'

export interface GivenTerms {
  readonly category: ListCategory
  readonly file: string | undefined
  readonly searchTerms: string | undefined
  readonly disallowedSentences: readonly string[] | undefined
}

export interface WeighedTerms {
  readonly searchTerms: string[]
  readonly isCSV: boolean
  readonly weight: Weight
}

const maxTerms = 20_000
const longestWord = 200

/** Undefined: the call gives none. */
export function listTermsOf(given: GivenTerms): WeighedTerms | undefined {
  const { category, file, searchTerms, disallowedSentences } = given
  const text = file === undefined ? searchTerms : textOf(file)
  const isSentences = category === 'sentence-similarity' && disallowedSentences !== undefined
  if (!isSentences && text === undefined) return undefined
  const terms = isSentences ? [...disallowedSentences] : termsIn(text ?? '', category)
  const field = isSentences ? 'disallowedSentences' : file === undefined ? 'searchTerms' : 'file'
  if (terms.length > maxTerms) {
    throw new Objection(field, `A list has at most ${maxTerms} terms.`)
  }
  return {
    searchTerms: terms,
    isCSV: file !== undefined,
    weight: weightOf(category, field, terms),
  }
}

function weightOf(category: GivenTerms['category'], field: string, terms: string[]): Weight {
  if (category === 'word') {
    requireShortWords(field, terms)
    return weightOfWords(terms)
  }
  if (category !== 'pattern') return { ...nothing, bytes: bytesOf(terms) }
  const weight = weightOfPatterns(terms)
  if (typeof weight === 'string') throw new Objection(field, weight)
  return weight
}

export function requireShortWords(field: string, words: readonly string[]): void {
  if (words.every(({ length }) => length <= longestWord)) return
  throw new Objection(field, `A word has at most ${longestWord} characters.`)
}

/** Files of a form come in base64. */
function textOf(file: string): string {
  const bytes = Buffer.from(file, 'base64')
  if (!isUtf8(bytes) || bytes.includes(0)) {
    throw new Objection('file', 'The file is not UTF-8 text.')
  }
  return bytes.toString('utf8')
}
