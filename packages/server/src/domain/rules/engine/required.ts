import { at, forks, type Instructions, match, type Program } from './program.ts'

// What a text must have before a pattern can match it. Most texts have nothing of it, and looking
// for it costs next to nothing, because words are looked for anyway.

export type Required =
  | { readonly kind: 'literal'; readonly text: string }
  /** So many of them, wherever they are. */
  | { readonly kind: 'digits'; readonly count: number }
  | { readonly kind: 'nothing' }

/** An instruction without which no match is reached reads something that every match has. */
export function requiredBy({ inst, start }: Program): Required {
  const needed = inst
    .map((_, place) => place)
    .filter((place) => at(inst, place).runes.length > 0 && !reachesMatch(inst, start, place))
  const texts = needed.map((place) => literalFrom(inst, place))
  const text = texts.reduce((best, one) => (one.length > best.length ? one : best), '')
  if (text !== '') return { kind: 'literal', text }
  const count = needed.filter((place) => isDigit(inst, place)).length
  return count > 0 ? { kind: 'digits', count } : { kind: 'nothing' }
}

function reachesMatch(inst: Instructions, start: number, without: number): boolean {
  const found = new Set([start])
  // A set that grows while it is walked is walked to its end.
  for (const place of found) {
    const { op, out, arg } = at(inst, place)
    if (place === without) continue
    if (op === match) return true
    found.add(out)
    if (forks.has(op)) found.add(arg)
  }
  return false
}

/** The letters that follow each other from here, as long as there is no choice. */
function literalFrom(inst: Instructions, first: number): string {
  let text = ''
  const passed = new Set<number>()
  for (let place = first; !passed.has(place); place = at(inst, place).out) {
    passed.add(place)
    const { op } = at(inst, place)
    const letter = letterOf(inst, place)
    if (letter !== undefined) text += letter
    else if (!leadsOn.has(op)) break
  }
  return text
}

/** Captures, assertions and nothing at all: they read no letter, and behind them there is no choice. */
const leadsOn: ReadonlySet<number> = new Set([3, 4, 7])

function letterOf(inst: Instructions, place: number): string | undefined {
  const [first, last = first, ...more] = at(inst, place).runes
  return first !== undefined && first === last && more.length === 0
    ? String.fromCodePoint(first)
    : undefined
}

function isDigit(inst: Instructions, place: number): boolean {
  return at(inst, place).runes.join() === '48,57'
}
