import { RE2JS } from 're2js'
import { workOf } from './pattern-work.ts'
import { type Program, programOf } from './program.ts'

/** Matches in linear time, whatever the pattern and the text. */
export interface Pattern {
  test(text: string): boolean
  /** Start and end of each match. */
  places(text: string): (readonly [number, number])[]
}

export interface PatternEngine {
  readonly name: 're2' | 're2js'
  compile(source: string): Pattern
}

const longest = 500
/** Of the compiled program: what a repetition of a repetition makes is refused. */
const largest = 400
/** A few milliseconds, once in the life of a process. */
const maxWork = 15_000

/** Undefined: the pattern may be used. Asked when it is saved, so it is the same for all engines. */
export function objectionToPattern(source: string): string | undefined {
  if (source.length > longest) return `A pattern has at most ${longest} characters.`
  const program = programOrObjection(source)
  if (typeof program === 'string') return program
  if (portableEngine.compile(source).test('')) return 'The pattern would match every text.'
  return program.inst.length > largest || workOf(program, maxWork) > maxWork
    ? 'The pattern counts too far: use * or + instead, or lower its bounds.'
    : undefined
}

/** Of one to which there is no objection. */
export function workOfPattern(source: string): number {
  return workOf(programOf(source), maxWork)
}

function programOrObjection(source: string): Program | string {
  try {
    return programOf(source)
  } catch (error) {
    return `This is no pattern: ${error instanceof Error ? error.message : String(error)}.`
  }
}

/** Pure JavaScript, for wherever the other one is not built. */
export const portableEngine: PatternEngine = {
  name: 're2js',
  compile(source) {
    const pattern = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
    return {
      test: (text) => pattern.test(text),
      places(text) {
        const matcher = pattern.matcher(text)
        const places: (readonly [number, number])[] = []
        while (places.length < maxPlaces && matcher.find()) {
          places.push([matcher.start(), matcher.end()])
        }
        return places
      },
    }
  },
}

/** Enough to show somebody why a message was caught. */
const maxPlaces = 100

/** As far as we use it: a RegExp of another make. */
type RegExpMaker = new (source: string, flags: string) => RegExp

/** The same in C++, if the operator has installed and built the package `re2`. */
export async function nativeEngine(): Promise<PatternEngine | undefined> {
  // Not a dependency, so nothing may look for it but this line.
  const name: string = 're2'
  const found = await import(name).catch(() => undefined)
  // An import of no known type; its page promises this one.
  const maker = found?.default as RegExpMaker | undefined
  if (!maker) return undefined
  return {
    name: 're2',
    compile(source) {
      const pattern = new maker(source, 'giu')
      return {
        test(text) {
          pattern.lastIndex = 0
          return pattern.test(text)
        },
        places: (text) => placesOf(pattern, text),
      }
    },
  }
}

function placesOf(pattern: RegExp, text: string): (readonly [number, number])[] {
  const places: (readonly [number, number])[] = []
  pattern.lastIndex = 0
  for (
    let found = pattern.exec(text);
    found && places.length < maxPlaces;
    found = pattern.exec(text)
  ) {
    places.push([found.index, found.index + found[0].length])
    if (found[0] === '') pattern.lastIndex++
  }
  return places
}
