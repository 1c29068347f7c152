import { RE2JS } from 're2js'

/** A compiled pattern: instructions that lead to each other. */
export interface Program {
  readonly inst: Instructions
  readonly start: number
}

interface Instruction {
  readonly op: number
  readonly out: number
  readonly arg: number
  /** Letters that it reads: one, or the ends of ranges. */
  readonly runes: Int32Array
  matchRune(rune: number): boolean
}

export type Instructions = readonly Instruction[]

/** Throws what is wrong with the pattern. The program is the same whichever engine runs it. */
export function programOf(source: string): Program {
  return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).re2().prog
}

export function at(inst: Instructions, place: number): Instruction {
  const found = inst[place]
  if (!found) throw new Error(`The program has no instruction ${place}.`)
  return found
}

/** The number of the instruction that ends a match. */
export const match = 6
/** Instructions that go two ways. */
export const forks: ReadonlySet<number> = new Set([1, 2])
/** Instructions that read no letter and always go on. */
export const silent: ReadonlySet<number> = new Set([...forks, 3, 7])
/** Also those that ask what is around them, and go on or not. */
export const perhapsSilent: ReadonlySet<number> = new Set([...silent, 4])

export function readsLetter(inst: Instructions, place: number): boolean {
  const { runes, op } = at(inst, place)
  return runes.length > 0 || op === 10 || op === 11
}
