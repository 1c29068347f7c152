import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { termsIn } from './terms.ts'

describe('terms of a list', () => {
  test('are cells, whatever separates them', () => {
    expect(termsIn(' b , a,, "c, d" ,b\r\n"say ""e"""', 'word')).toEqual([
      'b',
      'a',
      'c, d',
      'say "e"',
    ])
  })

  test('that are patterns keep the commas inside of brackets and behind a backslash', () => {
    const text = String.raw`a{2,3},[b,c]d,[\],]e,\,f,[g,h`
    expect(termsIn(text, 'pattern')).toEqual([
      'a{2,3}',
      '[b,c]d',
      String.raw`[\],]e`,
      '\\,f',
      '[g',
      'h',
    ])
  })

  // What cells are, as a grammar: correct, and too slow for hostile texts.
  const quoted = String.raw`[^\S\r\n]*"(?:[^"]|"")*"[^\S\r\n]*(?=[,\r\n]|$)`
  const bracketed = String.raw`\{[^{}\r\n]*\}|\[(?:\\.|[^\]\\\r\n])*\]|\\.`
  test.each([
    ['word', new RegExp(String.raw`${quoted}|[^,\r\n]+`, 'g')],
    ['pattern', new RegExp(String.raw`${quoted}|(?:${bracketed}|[^,\r\n])+`, 'g')],
  ] as const)('of the category %s are what the grammar says', (category, grammar) => {
    const unit = fc.constantFrom(...'ab ",[]{}\\\r\n\u2028\t')
    const unquoted = (cell: string) =>
      cell.length > 1 && cell.startsWith('"') && cell.endsWith('"')
        ? cell.slice(1, -1).replaceAll('""', '"').trim()
        : cell
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 24 }), (text) => {
        const cells = [...text.matchAll(grammar)].map(([cell]) => unquoted(cell.trim()))
        expect(termsIn(text, category)).toEqual([...new Set(cells)].filter(Boolean))
      }),
      { numRuns: 5000 },
    )
  })
})

/** Of CPU, the lesser of two: the machine has others to serve. */
function leastMs(work: () => void): number {
  const times = Array.from({ length: 2 }, () => {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

const hostile = ['[', '[\\', '{,', '"', '"a,', ' ', '[\\\u2028']

test.each(hostile)('C2: a megabyte of %j is split in linear time', (piece) => {
  const texts = [250_000, 1_000_000].map((length) => piece.repeat(length / piece.length))
  for (const category of ['word', 'pattern'] as const) {
    const [quarter = 0, whole = 0] = texts.map((text) => leastMs(() => termsIn(text, category)))
    expect(whole).toBeLessThan(2000)
    // Four times as much; a quadratic one takes sixteen times as long.
    expect(whole).toBeLessThan(10 * quarter + 50)
  }
})
