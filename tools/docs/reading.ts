import { sentencesOf, wordsIn } from './markdown.ts'

/** Groups of vowels, without an `e` at the end that is not spoken. */
function syllables(word: string): number {
  const spoken = word
    .toLowerCase()
    .replace(/(?:[^laeiouy]es|[^td]ed|[^laeiouy]e)$/, '')
    .replace(/^y/, '')
  return Math.max(1, spoken.match(/[aeiouy]{1,2}/g)?.length ?? 1)
}

/** The Flesch reading ease: 60 to 70 is plain English, under 50 is difficult. */
export function readingEase(text: string): number {
  const sentences = sentencesOf(text)
  const words = sentences.flatMap(wordsIn)
  const perWord = words.reduce((sum, word) => sum + syllables(word), 0) / words.length
  return 206.835 - 1.015 * (words.length / sentences.length) - 84.6 * perWord
}

export function longSentences(text: string, maxWords: number): string[] {
  return sentencesOf(text).filter((sentence) => wordsIn(sentence).length > maxWords)
}
