import {
  at,
  forks,
  type Instructions,
  match,
  type Program,
  perhapsSilent,
  readsLetter,
  silent,
} from './program.ts'

// A linear-time engine makes the states of a deterministic automaton as it meets them. Linear is not
// cheap: for `a.{60}b`, every letter of a text may be a new state. So the whole automaton is laid
// out once, when a pattern is saved, and one that is large is refused.

/** Steps that it takes to make every state; counted no further than the limit. */
export function workOf({ inst, start }: Program, limit: number): number {
  const letters = lettersOf(inst)
  const first = reachable(inst, [start], perhapsSilent)
  const seen = new Set([first.join()])
  const waiting = [first]
  let work = 0
  for (let state = waiting.pop(); state && work <= limit; state = waiting.pop()) {
    for (const letter of letters) {
      work += 1 + state.length
      const taken = state.filter((place) => takes(inst, place, letter))
      const from = [start, ...taken.map((place) => at(inst, place).out)]
      const next = reachable(inst, from, perhapsSilent)
      const name = next.join()
      if (seen.has(name) || isMatch(inst, from)) continue
      seen.add(name)
      waiting.push(next)
    }
  }
  return work
}

function takes(inst: Instructions, place: number, letter: number): boolean {
  return readsLetter(inst, place) && at(inst, place).matchRune(letter)
}

/** Behind a match nothing is looked for. */
function isMatch(inst: Instructions, from: readonly number[]): boolean {
  return reachable(inst, from, silent).some((place) => at(inst, place).op === match)
}

/** Where threads can be without reading on. */
function reachable(
  inst: Instructions,
  from: readonly number[],
  passes: ReadonlySet<number>,
): number[] {
  const found = new Set(from)
  // A set that grows while it is walked is walked to its end.
  for (const place of found) {
    const { op, out, arg } = at(inst, place)
    if (passes.has(op)) found.add(out)
    if (forks.has(op)) found.add(arg)
  }
  return [...found].filter((place) => !passes.has(at(inst, place).op)).sort((a, b) => a - b)
}

/** One letter of each kind that the program tells apart. */
function lettersOf(inst: Instructions): number[] {
  const edges = inst.flatMap(({ runes }) => [...runes].flatMap((rune) => [rune, rune + 1]))
  const cased = edges.flatMap((rune) => [rune, ...otherCases(rune)])
  const kinds = new Map<string, number>()
  for (const letter of [...cased, 10, 0x10ffff]) {
    const kind = inst.map((_, place) => Number(takes(inst, place, letter))).join('')
    kinds.set(kind, letter)
  }
  return [...kinds.values()]
}

function otherCases(rune: number): number[] {
  if (rune > 0x10ffff) return []
  const letter = String.fromCodePoint(rune)
  return [letter.toLowerCase(), letter.toUpperCase()].map((other) => other.codePointAt(0) ?? rune)
}
