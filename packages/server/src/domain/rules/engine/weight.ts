import { objectionToPattern, workOfPattern } from './patterns.ts'

/** How much there is to look for. */
export interface Weight {
  readonly words: number
  /** Of all terms, in UTF-8. */
  readonly bytes: number
  readonly patterns: number
  /** Of the patterns: steps to lay out all states that a text can lead them to. */
  readonly work: number
}

export const nothing: Weight = { words: 0, bytes: 0, patterns: 0, work: 0 }

/**
 * What an app may have in force. A list counts once for each condition that refers to it. With all of
 * it in force, a message of 10 KB is moderated in some 15 ms, and in 45 where words are nested in each other:
 * each pattern takes a quarter of one, and the states of all patterns, which the first such message
 * makes, another 30 ms.
 */
export const maxInForce: Weight = { words: 50_000, bytes: 1_000_000, patterns: 80, work: 100_000 }

export function sumOf(weights: readonly Weight[]): Weight {
  return weights.reduce(
    (sum, one) => ({
      words: sum.words + one.words,
      bytes: sum.bytes + one.bytes,
      patterns: sum.patterns + one.patterns,
      work: sum.work + one.work,
    }),
    nothing,
  )
}

export function weightOfWords(words: readonly string[]): Weight {
  return { ...nothing, words: words.length, bytes: bytesOf(words) }
}

export function bytesOf(terms: readonly string[]): number {
  return terms.reduce((sum, term) => sum + Buffer.byteLength(term), 0)
}

/** Or what is wrong with them. Looks no further than the limits go. */
export function weightOfPatterns(patterns: readonly string[]): Weight | string {
  if (patterns.length > maxInForce.patterns) {
    return `There are at most ${maxInForce.patterns} patterns: use fewer.`
  }
  let work = 0
  for (const pattern of patterns) {
    const objection = objectionToPattern(pattern)
    if (objection) return objection
    work += workOfPattern(pattern)
    if (work > maxInForce.work) {
      return 'The patterns count too far together: use fewer of them, or lower their bounds.'
    }
  }
  return { ...nothing, patterns: patterns.length, bytes: bytesOf(patterns), work }
}
