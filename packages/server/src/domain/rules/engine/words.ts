import { Automaton, type AutomatonTables, buildAutomaton } from './automaton.ts'
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

/** Places in the original text. False: it has heard enough of this target. */
export type Found = (target: number, start: number, end: number) => boolean

/** Letters of a spaced-out word have this many signs between them, and it has as many letters. */
const maxBetween = 3
const fewestLetters = 3

/** Terms by the word that they are looked for by, as plain arrays: see `AutomatonTables`. */
interface IndexTables {
  readonly automaton: AutomatonTables
  readonly lengths: Int32Array<ArrayBuffer>
  /** By word: its first term, and behind the last word how many terms there are. */
  readonly firsts: Int32Array<ArrayBuffer>
  /** By term. */
  readonly ways: Uint8Array<ArrayBuffer>
  readonly targets: Int32Array<ArrayBuffer>
  /** By word: the ways of its terms. */
  readonly waysOfWord: Uint8Array<ArrayBuffer>
}

export interface WordTables {
  readonly plain: IndexTables
  /** Of parts, which may end anywhere. */
  readonly parts: IndexTables
  readonly disguised: IndexTables | undefined
}

/** What takes long: done once, in whichever thread. */
export function layOutWords(terms: readonly Term[]): WordTables {
  const disguised = terms.filter(({ disguises, how }) => disguises && how !== 'part')
  const isPart = ({ how }: Term) => how === 'part'
  return {
    plain: layOutIndex(
      terms.filter((term) => !isPart(term)),
      foldedTerm,
    ),
    parts: layOutIndex(terms.filter(isPart), foldedTerm),
    disguised: disguised.length > 0 ? layOutIndex(disguised, disguisedTerm) : undefined,
  }
}

const wayOf = { word: 1, whole: 2, part: 4 } as const
const everyWay = wayOf.word | wayOf.whole | wayOf.part

function layOutIndex(terms: readonly Term[], form: (text: string) => string): IndexTables {
  const dictionary = Map.groupBy(terms, ({ text }) => form(text))
  dictionary.delete('')
  const words = [...dictionary.keys()]
  const groups = [...dictionary.values()]
  const inOrder = groups.flat()
  const firsts = new Int32Array(words.length + 1)
  for (const [place, group] of groups.entries()) {
    firsts[place + 1] = (firsts[place] ?? 0) + group.length
  }
  return {
    automaton: buildAutomaton(words),
    lengths: Int32Array.from(words, ({ length }) => length),
    firsts,
    ways: Uint8Array.from(inOrder, ({ how }) => wayOf[how]),
    targets: Int32Array.from(inOrder, ({ target }) => target),
    waysOfWord: Uint8Array.from(groups, (group) =>
      group.reduce((ways, { how }) => ways | wayOf[how], 0),
    ),
  }
}

/** Finds terms in a text that is folded already. */
export class WordFinder {
  readonly #plain: Index
  readonly #parts: Index
  readonly #disguised: Index | undefined
  /** Of the tables. */
  readonly bytes: number

  constructor({ plain, parts, disguised }: WordTables) {
    this.#plain = new Index(plain)
    this.#parts = new Index(parts)
    this.#disguised = disguised && new Index(disguised)
    this.bytes = bytesOf(plain) + bytesOf(parts) + (disguised ? bytesOf(disguised) : 0)
  }

  find(folded: Folded, found: Found): void {
    this.#plain.find(folded.units, folded.length, standing(folded, isOfWord), found)
    this.#parts.find(folded.units, folded.length, anywhere(folded), found)
    if (this.#disguised) this.#findDisguised(this.#disguised, folded, found)
  }

  #findDisguised(index: Index, folded: Folded, found: Found): void {
    const units = lookAlikes(folded)
    index.find(units, folded.length, standing(folded, passesForLetter), found)
    for (const places of spacedOut(folded)) {
      const letters = Uint16Array.from(places, (place) => units[place] ?? 0)
      const stands: Standing = {
        possible: wayOf.word,
        canEndAt: () => true,
        waysOf: (ways, first, last) => (last - first + 1 < fewestLetters ? 0 : ways),
        startOf: (first) => folded.starts[places[first] ?? 0] ?? 0,
        endOf: (last) => endOf(folded, places[last] ?? 0),
      }
      index.find(letters, letters.length, stands, found)
    }
  }
}

function bytesOf({ automaton, ...tables }: IndexTables): number {
  const arrays = [...Object.values(automaton), ...Object.values(tables)]
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

/** In which of these ways what was found stands there, and where in the original. */
interface Standing {
  /** No word stands there in any other way. */
  readonly possible: number
  /** Whatever it is: asked once for a place, at which many words may end. */
  canEndAt(last: number): boolean
  waysOf(ways: number, first: number, last: number): number
  startOf(first: number): number
  endOf(last: number): number
}

function standing(folded: Folded, isLetter: (unit: number) => boolean): Standing {
  return {
    possible: everyWay,
    canEndAt: (last) => last + 2 >= folded.length || endsWord(folded, last, isLetter),
    waysOf: (ways, first, last) => waysItStands(ways, folded, first, last, isLetter),
    startOf: (first) => folded.starts[first] ?? 0,
    endOf: (last) => endOf(folded, last),
  }
}

function anywhere(folded: Folded): Standing {
  return { ...standing(folded, isOfWord), canEndAt: () => true, waysOf: (ways) => ways }
}

class Index {
  readonly #tables: IndexTables
  readonly #automaton: Automaton
  /** By word: in which walk this was noted, and the ways of which nobody wants to hear more. */
  readonly #notedIn: Float64Array
  readonly #heardEnough: Uint8Array
  #walks = 0

  constructor(tables: IndexTables) {
    this.#tables = tables
    this.#automaton = new Automaton(tables.automaton)
    this.#notedIn = new Float64Array(tables.lengths.length)
    this.#heardEnough = new Uint8Array(tables.lengths.length)
  }

  find(units: Uint16Array, length: number, standing: Standing, found: Found): void {
    const { lengths, waysOfWord } = this.#tables
    this.#walks++
    if (lengths.length === 0) return
    this.#automaton.walk(units, length, standing.canEndAt, (word, last) => {
      const wanted = (waysOfWord[word] ?? 0) & standing.possible & ~this.#enoughOf(word)
      if (wanted === 0) return false
      const first = last + 1 - (lengths[word] ?? 0)
      // Once for all terms of the word: many conditions may look for it.
      const ways = standing.waysOf(wanted, first, last)
      if (ways === 0) return true
      const more = this.#tell(word, ways, standing.startOf(first), standing.endOf(last), found)
      return (wanted & ~ways) !== 0 || more
    })
  }

  #enoughOf(word: number): number {
    return this.#notedIn[word] === this.#walks ? (this.#heardEnough[word] ?? 0) : 0
  }

  /** Whether somebody wants to hear more of it. */
  #tell(word: number, told: number, start: number, end: number, found: Found): boolean {
    const { firsts, ways, targets } = this.#tables
    const behind = firsts[word + 1] ?? 0
    let wanted = 0
    for (let term = firsts[word] ?? 0; term < behind; term++) {
      const way = ways[term] ?? 0
      if ((way & told) !== 0 && found(targets[term] ?? 0, start, end)) wanted |= way
    }
    if (wanted === told) return true
    this.#heardEnough[word] = this.#enoughOf(word) | (told & ~wanted)
    this.#notedIn[word] = this.#walks
    return wanted !== 0
  }
}

export function foldedTerm(text: string): string {
  return foldedText(text).trim()
}

function disguisedTerm(text: string): string {
  const { units, length } = fold(foldedTerm(text))
  return String.fromCharCode(...units.subarray(0, length).map(lookAlike))
}

/** Of these ways. */
function waysItStands(
  ways: number,
  folded: Folded,
  first: number,
  last: number,
  isLetter: (unit: number) => boolean,
): number {
  let is = 0
  if ((ways & wayOf.whole) !== 0 && isWhole(folded, first, last)) is |= wayOf.whole
  if ((ways & wayOf.word) !== 0 && isByItself(folded, first, last, isLetter)) is |= wayOf.word
  return is
}

function isByItself(
  folded: Folded,
  first: number,
  last: number,
  isLetter: (unit: number) => boolean,
): boolean {
  const { units } = folded
  if (first > 0 && isOfWord(units[first - 1] ?? 0) && isLetter(units[first] ?? 0)) return false
  return endsWord(folded, last, isLetter)
}

function endsWord(
  { units, length }: Folded,
  last: number,
  isLetter: (unit: number) => boolean,
): boolean {
  return last + 1 >= length || !isOfWord(units[last + 1] ?? 0) || !isLetter(units[last] ?? 0)
}

/** Spaces around it do not count. */
function isWhole({ units, length }: Folded, first: number, last: number): boolean {
  const begins = first === 0 || (first === 1 && units[0] === space)
  return begins && (last === length - 1 || (last === length - 2 && units[length - 1] === space))
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
    if (!isAlone || place - (run.at(-1) ?? place) > maxBetween + 1) close()
    if (isAlone) run.push(place)
  }
  close()
  return runs
}
