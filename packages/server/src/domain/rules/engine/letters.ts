// What kind of letter a folded code unit is, and which letters look alike.

const isWordLetter = /[\p{L}\p{M}\p{N}_]/u
/** Korean has spaces, but hangs particles on its words. */
const ofSpaceless =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/v
const surrogate = 0xd800

const kinds = new Int8Array(65_536).fill(-1)

/** Whether the unit is of a word, in a script that puts spaces between words. */
export function isOfWord(unit: number): boolean {
  const known = kinds[unit] ?? -1
  if (known >= 0) return known === 1
  const letter = String.fromCharCode(unit)
  // Half a pair: a sign, or a letter of a script so rare that its words are found anywhere.
  const isHalf = (unit & 0xf800) === surrogate
  const is = !isHalf && isWordLetter.test(letter) && !ofSpaceless.test(letter)
  kinds[unit] = Number(is)
  return is
}

/** Letters of other scripts, figures and signs that pass for the letter at the head of the row. */
const rows = [
  ['a', '4@аα'],
  ['b', '8вβ'],
  ['c', '(сϲ'],
  ['e', '3€еε'],
  ['h', 'нһ'],
  ['i', '1!|lіιӏ'],
  ['j', 'ј'],
  ['k', 'кκ'],
  ['m', 'м'],
  ['n', 'ηп'],
  ['o', '0оοσ'],
  ['p', 'рρ'],
  ['s', '5$ѕ'],
  ['t', '7+тτ'],
  ['u', 'υ'],
  ['v', 'ν'],
  ['w', 'ωшщ'],
  ['x', 'хχ×'],
  ['y', 'уγ'],
  ['z', '2'],
] as const

const lookAlikes = new Uint16Array(65_536).map((_, unit) => unit)
const signs = new Set<number>()
for (const [letter, others] of rows) {
  for (const other of others) {
    lookAlikes[other.charCodeAt(0)] = letter.charCodeAt(0)
    if (!isOfWord(other.charCodeAt(0))) signs.add(other.charCodeAt(0))
  }
}

export function lookAlike(unit: number): number {
  return lookAlikes[unit] ?? unit
}

/** A letter, or a sign that passes for one. */
export function passesForLetter(unit: number): boolean {
  return isOfWord(unit) || signs.has(unit)
}
