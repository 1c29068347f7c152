import { foldedText } from '../../../server/src/domain/rules/engine/fold.ts'
import { lookAlike } from '../../../server/src/domain/rules/engine/letters.ts'
import type { Term } from '../../../server/src/domain/rules/engine/words.ts'

// The words of a text, found in the most obvious way: every word, at every place.

interface Letter {
  readonly unit: string
  readonly start: number
  readonly end: number
}

/** Places in the original, in order, each once. */
export function referencePlaces(text: string, term: Term): string[] {
  const letters = lettersOf(text)
  const plain = foldedText(term.text).trim()
  const places = placesOf(letters, plain, term, (unit) => isOfWord(unit))
  if (term.disguises && term.how !== 'part') {
    const masked = letters.map((letter) => ({ ...letter, seen: unmasked(letter.unit) }))
    const word = [...plain.split('')].map(unmasked).join('')
    places.push(...placesOf(masked, word, term, passesForLetter))
    if (term.how === 'word' && word.length >= 3) places.push(...spacedOutPlaces(masked, word))
  }
  return [...new Set(places)].sort()
}

function lettersOf(text: string): Letter[] {
  const letters: Letter[] = []
  let start = 0
  for (const point of text) {
    const end = start + point.length
    for (const unit of foldedText(point).split('')) {
      if (unit === ' ' && letters.at(-1)?.unit === ' ') continue
      letters.push({ unit, start, end })
    }
    start = end
  }
  return letters
}

interface Seen extends Letter {
  readonly seen?: string
}

function placesOf(
  letters: readonly Seen[],
  word: string,
  { how }: Term,
  isLetter: (unit: string) => boolean,
): string[] {
  if (word === '') return []
  const text = letters.map(({ unit, seen }) => seen ?? unit).join('')
  const units = letters.map(({ unit }) => unit)
  const places: string[] = []
  for (let first = text.indexOf(word); first !== -1; first = text.indexOf(word, first + 1)) {
    const last = first + word.length - 1
    const before = units.slice(0, first).join('')
    const behind = units.slice(last + 1).join('')
    const isWord =
      !(isOfWord(before.at(-1)) && isLetter(units[first] ?? '')) &&
      !(isOfWord(behind[0]) && isLetter(units[last] ?? ''))
    const isWhole = before.trim() === '' && behind.trim() === ''
    const fits = how === 'part' || (how === 'word' ? isWord : isWhole)
    if (fits) places.push(`${letters[first]?.start}-${letters[last]?.end}`)
  }
  return places
}

/** Letters that each stand alone, with at most three signs between them. */
function spacedOutPlaces(letters: readonly Seen[], word: string): string[] {
  const unitAt = (place: number) => letters[place]?.unit ?? ''
  const isAlone = (place: number) => !isOfWord(unitAt(place - 1)) && !isOfWord(unitAt(place + 1))
  const isLetter = (place: number) => passesForLetter(unitAt(place)) && isAlone(place)
  const all = letters.map((_, place) => place)
  const alone = all.filter(isLetter)
  return alone.flatMap((first, from) => {
    const places = alone.slice(from, from + word.length)
    const last = places.at(-1) ?? first
    const isNear = places.every((place, n) => n === 0 || place - (places[n - 1] ?? 0) <= 4)
    const isBroken = all
      .slice(first, last)
      .some((place) => !isAlone(place) && isOfWord(unitAt(place)))
    const reads = places.map((place) => letters[place]?.seen).join('')
    const fits = isNear && !isBroken && reads === word
    return fits ? [`${letters[first]?.start}-${letters[last]?.end}`] : []
  })
}

function isOfWord(unit = ''): boolean {
  return (
    /^[\p{L}\p{M}\p{N}_]$/u.test(unit) &&
    !/^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]$/u.test(
      unit,
    )
  )
}

function passesForLetter(unit: string): boolean {
  return isOfWord(unit) || (unit !== '' && '@€!|($+×'.includes(unit))
}

function unmasked(unit: string): string {
  return String.fromCharCode(lookAlike(unit.charCodeAt(0)))
}
