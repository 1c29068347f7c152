import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import dictionary from 'dictionary-en'
import nspell from 'nspell'
import { root } from '../tree.ts'

const own = readFileSync(join(root, 'tools/docs/words.txt'), 'utf8')
const english = nspell(Buffer.from(dictionary.aff), Buffer.from(dictionary.dic))
for (const word of own.trim().split('\n')) english.add(word)

/** Each word once that neither the dictionary nor our list of names and terms has. */
export function misspelled(words: readonly string[]): string[] {
  const found = words
    .map((word) => word.replace('’', "'"))
    .filter((word) => {
      const known = [word, word.toLowerCase(), word.replace(/'s$/, '')]
      return !known.some((form) => english.correct(form))
    })
  return [...new Set(found)]
}
