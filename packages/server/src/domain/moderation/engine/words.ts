import { Automaton } from './automaton.ts'
import { endOf, type Folded, fold, foldedText, space } from './fold.ts'
import { isOfWord, lookAlike, passesForLetter } from './letters.ts'

export interface Term {
  readonly text: string
  /** `word`: by itself; `whole`: it is the whole text; `part`: anywhere. */
  readonly how: 'word' | 'whole' | 'part'
  /** Also in look-alike letters, or with its letters spaced out. */
  readonly disguises: boolean
  readonly target: number
}

/** Places in the original text. */
export type Found = (target: number, start: number, end: number) => void

type Dictionary = ReadonlyMap<string, readonly Term[]>

/** Letters of a spaced-out word have this many signs between them, and it has as many letters. */
const mostBetween = 3
const fewestLetters = 3

/** Finds terms in a text that is folded already. */
export class WordFinder {
  readonly #plain: Index
  readonly #disguised: Index | undefined

  constructor(terms: readonly Term[]) {
    this.#plain = new Index(terms, foldedTerm)
    const disguised = terms.filter(({ disguises, how }) => disguises && how !== 'part')
    this.#disguised = disguised.length > 0 ? new Index(disguised, disguisedTerm) : undefined
  }

  find(folded: Folded, found: Found): void {
    this.#plain.find(folded.units, folded.length, (term, first, last) => {
      if (stands(term, folded, first, last, isOfWord)) tell(term, folded, first, last, found)
    })
    if (this.#disguised) this.#findDisguised(this.#disguised, folded, found)
  }

  #findDisguised(index: Index, folded: Folded, found: Found): void {
    const units = lookAlikes(folded)
    index.find(units, folded.length, (term, first, last) => {
      if (stands(term, folded, first, last, passesForLetter)) tell(term, folded, first, last, found)
    })
    for (const places of spacedOut(folded)) {
      const letters = Uint16Array.from(places, (place) => units[place] ?? 0)
      index.find(letters, letters.length, (term, first, last) => {
        if (term.how !== 'word' || last - first + 1 < fewestLetters) return
        tell(term, folded, places[first] ?? 0, places[last] ?? 0, found)
      })
    }
  }
}

class Index {
  readonly #terms: readonly (readonly Term[])[]
  readonly #lengths: readonly number[]
  readonly #automaton: Automaton

  constructor(terms: readonly Term[], form: (text: string) => string) {
    const dictionary: Dictionary = Map.groupBy(terms, ({ text }) => form(text))
    const words = [...dictionary.keys()].filter(Boolean)
    this.#terms = words.map((word) => dictionary.get(word) ?? [])
    this.#lengths = words.map(({ length }) => length)
    this.#automaton = new Automaton(words)
  }

  find(
    units: Uint16Array,
    length: number,
    found: (term: Term, first: number, last: number) => void,
  ): void {
    this.#automaton.walk(units, length, (word, last) => {
      const first = last + 1 - (this.#lengths[word] ?? 0)
      for (const term of this.#terms[word] ?? []) found(term, first, last)
    })
  }
}

export function foldedTerm(text: string): string {
  return foldedText(text).trim()
}

function disguisedTerm(text: string): string {
  const { units, length } = fold(foldedTerm(text))
  return String.fromCharCode(...units.subarray(0, length).map(lookAlike))
}

function stands(
  { how }: Term,
  folded: Folded,
  first: number,
  last: number,
  isLetter: (unit: number) => boolean,
): boolean {
  if (how === 'part') return true
  if (how === 'whole') return isWhole(folded, first, last)
  const { units, length } = folded
  if (first > 0 && isOfWord(units[first - 1] ?? 0) && isLetter(units[first] ?? 0)) return false
  return last + 1 >= length || !isOfWord(units[last + 1] ?? 0) || !isLetter(units[last] ?? 0)
}

/** Spaces around it do not count. */
function isWhole({ units, length }: Folded, first: number, last: number): boolean {
  const begins = first === 0 || (first === 1 && units[0] === space)
  return begins && (last === length - 1 || (last === length - 2 && units[length - 1] === space))
}

function tell({ target }: Term, folded: Folded, first: number, last: number, found: Found): void {
  found(target, folded.starts[first] ?? 0, endOf(folded, last))
}

let alikes = new Uint16Array(4096)

/** Good until the next text, which takes the same room. */
function lookAlikes({ units, length }: Folded): Uint16Array {
  if (alikes.length < length) alikes = new Uint16Array(length)
  for (let place = 0; place < length; place++) alikes[place] = lookAlike(units[place] ?? 0)
  return alikes
}

/** Runs of letters that each stand alone, as places in the folded text. */
function spacedOut({ units, length }: Folded): number[][] {
  const runs: number[][] = []
  let run: number[] = []
  const close = () => {
    if (run.length >= fewestLetters) runs.push(run)
    run = []
  }
  const isWordAt = (place: number) => place >= 0 && place < length && isOfWord(units[place] ?? 0)
  for (let place = 0; place < length; place++) {
    if (!passesForLetter(units[place] ?? 0)) continue
    const isAlone = !isWordAt(place - 1) && !isWordAt(place + 1)
    // A sign beside a letter only separates.
    if (!isAlone && !isWordAt(place)) continue
    if (!isAlone || place - (run.at(-1) ?? place) > mostBetween + 1) close()
    if (isAlone) run.push(place)
  }
  close()
  return runs
}
