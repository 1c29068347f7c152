import { RE2JS } from 're2js'

const longest = 500
/** Of the compiled program: what a repetition of a repetition makes is refused. */
const largest = 400

/** Undefined: the pattern may be used. */
export function objectionToPattern(source: string): string | undefined {
  if (source.length > longest) return `A pattern has at most ${longest} characters.`
  const pattern = compiled(source)
  if (typeof pattern === 'string') return pattern
  if (pattern.programSize() > largest) return 'The pattern repeats too much: lower its bounds.'
  if (pattern.test('')) return 'The pattern would match every text.'
  return undefined
}

function compiled(source: string): RE2JS | string {
  try {
    return RE2JS.compile(source, RE2JS.CASE_INSENSITIVE)
  } catch (error) {
    return `This is no pattern: ${error instanceof Error ? error.message : String(error)}.`
  }
}
