// Letters that a reader takes for the same become the same. Each code point by itself, so that the
// folded form of a part is a part of the folded form.

/** A folded text: good until the next one, which takes the same room. */
export interface Folded {
  readonly text: string
  readonly length: number
  readonly units: Uint16Array
  /** Where in the original each unit came from. */
  readonly starts: Int32Array
}

// Making room costs more than folding a message does.
let units = new Uint16Array(4096)
let starts = new Int32Array(4096)

export const space = 32
/** By code unit: what it becomes; `several` stand in the map below. */
const table = new Int32Array(65_536).fill(-1)
const nothing = -2
const several = -3
const longer = new Map<number, readonly number[]>()
/** More code points than people use in a day; beyond, a hostile text would fill the memory. */
const maxRemembered = 20_000

export function fold(text: string): Folded {
  makeRoom(text.length * longestFold)
  let length = 0
  let last = 0
  for (let start = 0; start < text.length; start++) {
    const known = table[text.charCodeAt(start)] ?? -1
    if (known >= 0) {
      // Spaces are one, however many.
      if (known === space && last === space) continue
      starts[length] = start
      last = known
      units[length++] = known
    } else if (known !== nothing) {
      const point = text.codePointAt(start) ?? 0
      for (const unit of unitsOf(point)) {
        if (unit === space && last === space) continue
        starts[length] = start
        last = unit
        units[length++] = unit
      }
      if (point > 0xffff) start++
    }
  }
  return { text, length, units, starts }
}

function makeRoom(length: number): void {
  if (units.length >= length) return
  units = new Uint16Array(length)
  starts = new Int32Array(length)
}

/** Behind the code point in the original that the unit came from. */
export function endOf({ text, starts }: Folded, place: number): number {
  const start = starts[place] ?? 0
  return start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1)
}

export function foldedText(text: string): string {
  const { units, length } = fold(text)
  return String.fromCharCode(...units.subarray(0, length))
}

function unitsOf(point: number): readonly number[] {
  const known = longer.get(point)
  if (known) return known
  const folded = foldPoint(String.fromCodePoint(point)).slice(0, longestFold)
  const units = Array.from(folded, (_, place) => folded.charCodeAt(place))
  const [first = nothing, ...more] = units
  // Half a pair stands for nothing by itself, but begins others.
  const isHalf = (point & 0xfffff800) === 0xd800
  if (point <= 0xffff && !isHalf) table[point] = more.length > 0 ? several : first
  if (longer.size >= maxRemembered) longer.clear()
  longer.set(point, units)
  return units
}

/** Of a code point: the longest in use is a phrase in Arabic, which nobody writes. */
const longestFold = 4

/** A syllable stays whole: its first letters are not a part of it. */
const syllable = /[\uac00-\ud7a3]/
/** Marks that only decorate, and what cannot be seen. The two that make が of か stay. */
const decoration =
  /[[[\p{M}&&[\p{sc=Inherited}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309a]]\p{Cf}\u0640]/gv
/** Letters that no normal form takes apart, and the sigma that ends a word. */
const alike: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ς: 'σ',
  ı: 'i',
}

function foldPoint(letter: string): string {
  if (letter !== '\ufeff' && /\s/.test(letter)) return ' '
  const plain = syllable.test(letter) ? letter : letter.normalize('NFKD')
  const folded = plain
    .replace(decoration, '')
    // By way of upper case: ß is SS.
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
  return (alike[folded] ?? folded).replace(decoration, '').replaceAll(/\s+/g, ' ')
}
