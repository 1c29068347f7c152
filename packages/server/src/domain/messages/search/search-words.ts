// What a text is found by. Pure: the database keeps hashes of what is called a token here, and
// whatever they lead to is compared with its text in the end.

/** Longer texts are found by their beginning. */
const maxCharacters = 65_536
/** Further words of a query choose nothing any more; they are only compared. */
const maxTokensAsked = 16
const prefixLengths = [6, 4, 2]

/** `word` is found by its beginning, `run` (of a script without spaces) by any part, `sign` whole. */
interface Piece {
  readonly kind: 'word' | 'run' | 'sign'
  readonly text: string
}

export interface SearchQuery {
  /** What an entry's words must contain, if it matches; empty: nothing can be searched for. */
  hashes(appId: string): number[]
  /** Every word of the query occurs, in any order. */
  matches(text: string): boolean
}

export function parseQuery(text: string): SearchQuery {
  const wanted = piecesOf(text)
  const asked = [...new Set(wanted.flatMap(tokensAsked))]
    .sort((a, b) => b.length - a.length)
    .slice(0, maxTokensAsked)
  return {
    hashes: (appId) => hashed(appId, asked),
    matches: (candidate) => {
      const pieces = piecesOf(candidate)
      return wanted.every((piece) => pieces.some((other) => meets(piece, other)))
    },
  }
}

/** The hashes an entry is found by: distinct and in order. */
export function wordsOf(appId: string, text: string): number[] {
  return hashed(appId, piecesOf(text).flatMap(tokensKept))
}

function meets(wanted: Piece, found: Piece): boolean {
  if (wanted.kind !== found.kind) return false
  if (wanted.kind === 'run') return found.text.includes(wanted.text)
  // A single letter would begin half of all words: it stands for itself.
  if (wanted.kind === 'sign' || [...wanted.text].length === 1) return found.text === wanted.text
  return found.text.startsWith(wanted.text)
}

function tokensKept({ kind, text }: Piece): string[] {
  const characters = [...text]
  if (kind === 'run') return [...characters, ...pairsOf(characters)]
  const prefixes = prefixLengths.filter((length) => length <= characters.length)
  return kind === 'sign' || prefixes.length === 0
    ? [text]
    : prefixes.map((length) => characters.slice(0, length).join(''))
}

/** The fewest tokens that say most. */
function tokensAsked(piece: Piece): string[] {
  if (piece.kind !== 'run') return tokensKept(piece).slice(0, 1)
  const characters = [...piece.text]
  return characters.length === 1 ? characters : pairsOf(characters)
}

function pairsOf(characters: readonly string[]): string[] {
  return characters.slice(1).map((second, place) => `${characters[place]}${second}`)
}

const letters = String.raw`\p{L}\p{M}\p{N}`
// Korean has spaces, but hangs particles on its words and joins nouns.
const spaceless = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('')
// A flag is two letters; of a family or a tone of skin, the people count.
const signs = String.raw`\p{RI}{2}|\p{Extended_Pictographic}`
const pieces = new RegExp(
  `(?<run>[[${letters}]&&[${spaceless}]]+)|(?<word>[[${letters}]--[${spaceless}]]+)|${signs}`,
  'gv',
)

function piecesOf(text: string): Piece[] {
  // A mention is found by whom it names.
  const plain = text.slice(0, maxCharacters).replaceAll('<@uid:', ' ')
  return Array.from(folded(plain).matchAll(pieces), ({ 0: found, groups }): Piece => {
    if (groups?.run) return { kind: 'run', text: found }
    return { kind: groups?.word ? 'word' : 'sign', text: found }
  })
}

/**
 * Marks that only decorate. In most scripts a mark is a vowel or a tone and stays, as do the two that
 * make が of か. Invisible characters and the Arabic stroke that stretches a word go too.
 */
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
}

/** The same for texts that a reader takes for the same. */
function folded(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(decoration, '')
      // By way of upper case: ß is SS, and both letters i of Turkish meet.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replace(/[øłđðħþæœς]/g, (letter) => alike[letter] ?? letter)
      .normalize('NFC')
  )
}

/** Of the app and the token, so that no app's words lengthen the lists of another. */
function hashed(appId: string, tokens: readonly string[]): number[] {
  const seed = mixed(appId, 0x811c9dc5)
  return [...new Set(tokens.map((token) => scattered(mixed(token, seed))))].sort((a, b) => a - b)
}

/** FNV-1a over the code units. Fast and well known; what collides is told apart by its text. */
function mixed(text: string, seed: number): number {
  let hash = seed
  for (let place = 0; place < text.length; place++) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193)
  }
  return hash
}

/** Short tokens would otherwise fill only part of the numbers there are. */
function scattered(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}
