import type { Condition } from '../../packages/contract/src/rules/index.ts'
import type { RuleInForce } from '../../packages/server/src/domain/rules/engine/rule-set.ts'
import type { Random } from '../../packages/testing/src/seeded.ts'

const beginnings = [
  'b',
  'ch',
  'd',
  'f',
  'g',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  'st',
  't',
  'v',
]
const vowels = ['a', 'e', 'i', 'o', 'u', 'ee', 'ou']

/** A word that could be one, of two to four syllables. */
function makeWord(random: Random): string {
  const syllable = () => random.pick(beginnings) + random.pick(vowels)
  return Array.from({ length: 2 + random.below(3) }, syllable).join('')
}

export function distinctWords(random: Random, count: number): string[] {
  const words = new Set<string>()
  while (words.size < count) words.add(makeWord(random))
  return [...words]
}

/** What people write patterns for: most begin with a word, some are about figures. */
function makePattern(random: Random, place: number): string {
  const word = makeWord(random)
  const kinds = [
    `\\b${word}s?\\s+(?:now|today|here)\\b`,
    `${word}\\.(?:com|net|org)/\\w+`,
    `(?:buy|sell|get)\\s+${word}`,
    `\\b${word}[-_. ]?\\d{2,4}\\b`,
    String.raw`\b\d{3}[-. ]?\d{3}[-. ]?\d{4}\b`,
    String.raw`[a-z0-9._%+-]+@${word}\.[a-z]{2,}`,
    `[$€£]\\s?\\d+\\s?${word}`,
    `${word}.*(?:free|cheap)`,
    `\\b(?:${word}|${makeWord(random)}|${makeWord(random)})ing\\b`,
    String.raw`\b(?:\d[ -]?){13,16}\b`,
  ]
  return kinds[place % kinds.length] ?? word
}

function rule(id: string, category: Condition['category'], value: string[]): RuleInForce {
  const condition: Condition = {
    id: 1,
    isKeywordsReferencePresent: false,
    isMediaPresent: false,
    entity: 'message',
    operand: 'text',
    operator: 'contains',
    category,
    value,
  }
  return { id, name: id, revisionId: id, filters: [], conditions: [condition], actions: [] }
}

/** Half of the rules have words, half a pattern. */
export function rulesOf(random: Random, words: readonly string[], rules: number): RuleInForce[] {
  const half = rules / 2
  const each = Math.ceil(words.length / half)
  return Array.from({ length: half }, (_, n) => [
    rule(`words-${n}`, 'word', words.slice(n * each, (n + 1) * each)),
    rule(`pattern-${n}`, 'pattern', [makePattern(random, n)]),
  ]).flat()
}

/** Ordinary talk: numbers now and then, and in one text of twenty a word that is looked for. */
export function makeText(random: Random, forbidden: readonly string[], bytes: number): string {
  const talk = distinctWords(random, 60).filter((word) => !forbidden.includes(word))
  const parts: string[] = random.chance(0.05) ? [random.pick(forbidden)] : []
  for (let length = 0; length < bytes; length += (parts.at(-1)?.length ?? 0) + 1) {
    parts.push(random.chance(0.03) ? String(random.below(5000)) : random.pick(talk))
  }
  // In one piece, as JSON.parse leaves it: strings that are pasted together are slow to read.
  return Buffer.from(parts.join(' ').slice(0, bytes)).toString()
}
