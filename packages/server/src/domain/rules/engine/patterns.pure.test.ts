import type { Condition } from '@chorale/contract/rules'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Random, seeded } from '../../../../../testing/src/seeded.ts'
import { nativeEngine, objectionToPattern, type Pattern, portableEngine } from './patterns.ts'
import { programOf } from './program.ts'
import { requiredBy } from './required.ts'
import { ruleSetOf } from './rule-set.ts'

const native = await nativeEngine()
const engines = [portableEngine, ...(native ? [native] : [])]

describe('a pattern', () => {
  test.each([
    ['is no pattern', 'a(', /no pattern/],
    ['looks back', '(a)\\1', /no pattern/],
    ['looks ahead', 'a(?=b)', /no pattern/],
    ['matches nothing', 'a*|b', /every text/],
    ['is long', 'a'.repeat(501), /500/],
    ['repeats repetitions', '(a{1,100}){1,10}b', /counts too far/],
    ['remembers sixty letters', 'a.{60}c', /counts too far/],
    ['remembers twenty at the end', '[01]*1[01]{20}$', /counts too far/],
  ])('is refused that %s', (_, source, objection) => {
    expect(objectionToPattern(source)).toMatch(objection)
  })

  test.each([
    String.raw`\b\d{3}[-. ]?\d{3}[-. ]?\d{4}\b`,
    String.raw`[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}`,
    String.raw`https?://\S{4,60}`,
    'buy.*(?:cheap|free)',
    '(?:a+)+$',
    '[\u4e00-\u9fff]{3}',
  ])('may be %s', (source) => {
    expect(objectionToPattern(source)).toBeUndefined()
  })

  test.each([
    ['buy (?:now|today)', { kind: 'literal', text: 'BUY ' }],
    ['(?:now|today) friend', { kind: 'literal', text: ' FRIEND' }],
    ['[a-z]+@[a-z]+', { kind: 'literal', text: '@' }],
    ['a?b+c*', { kind: 'literal', text: 'B' }],
    ['(?:ab|cd)', { kind: 'nothing' }],
    [String.raw`\d{3}-?\d{2}`, { kind: 'digits', count: 5 }],
    [String.raw`x?\d*`, { kind: 'nothing' }],
  ])('%s needs what it needs', (source, required) => {
    expect(requiredBy(programOf(source))).toEqual(required)
  })
})

const condition: Condition = {
  id: 1,
  isKeywordsReferencePresent: false,
  isMediaPresent: false,
  entity: 'message',
  operand: 'text',
  operator: 'contains',
  category: 'pattern',
  value: [],
}

function ruleOf(...value: string[]) {
  const conditions = [{ ...condition, value }]
  return { id: 'r', name: 'r', revisionId: 'r', filters: [], conditions, actions: [] }
}

test('a pattern that is looked for by what it needs is found where it is', () => {
  const unit = fc.constantFrom('a', 'B', 'ſ', 's', '1', '2', ' ', '-', 'K', 'k', 'é', '\n')
  const piece = fc.constantFrom('a', 'b', 's', 'k', 'é', '\\d', '\\s', '-', '[ab]', '(?:as|b)', '.')
  const times = fc.constantFrom('', '', '?', '+', '*', '{2}')
  const source = fc
    .array(fc.tuple(piece, times), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.flat().join(''))
    .filter((pattern) => objectionToPattern(pattern) === undefined)
  fc.assert(
    fc.property(source, fc.string({ unit, maxLength: 20 }), (pattern, text) => {
      for (const engine of engines) {
        const set = ruleSetOf([ruleOf(pattern)], new Map(), engine)
        const spans = set.examine({ text })[0]?.conditions[0]?.spans ?? []
        const places = portableEngine.compile(pattern).places(text)
        expect(spans.map(({ start, end }) => [start, end])).toEqual(places)
      }
    }),
    { numRuns: 1000 },
  )
})

/** Hostile pairs: each repeats something ambiguous, over a text that almost matches. */
function hostile(random: Random): { source: string; text: string } {
  const [one, two] = random.pick([
    ['a', 'b'],
    ['0', '1'],
    ['x', ' '],
    ['é', 'e'],
    ['字', 'a'],
  ])
  const n = 1 + random.below(12)
  const source = random.pick([
    `(${one}+)+$`,
    `(${one}|${one}${one})+$`,
    `(${one}|${two})*${one}(${one}|${two}){${n}}!`,
    `${one}.{${n}}!`,
    `(.*${one}){${n}}!`,
    `(${one}*)*${two}!`,
    `(?:${one}?){${n * 4}}${one}{${n * 4}}!`,
    `(${one}{1,${n}}){1,${n}}!`,
    `^(([${one}${two}])+.)+([${one}${two}])+$`,
    `\\b(${one}|${two})+\\b.*\\b${two}!`,
    `[^!]*${one}[^!]*${two}[^!]*!$`,
  ])
  const units = random.pick([[one], [one, two], [one, one, one, two], [two, ' ', one]])
  const text = Array.from({ length: 10_240 }, () => random.pick(units)).join('')
  return { source, text }
}

/** Of CPU, the least of three, since the machine has others to serve; each starts cold. */
function leastMs(compile: () => Pattern, text: string): number {
  const times = Array.from({ length: 3 }, () => {
    const pattern = compile()
    const start = process.cpuUsage()
    pattern.test(text)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

test.each(engines)(
  'no hostile pair takes $name 5 ms for 10 KB',
  (engine) => {
    const random = seeded('hostile')
    let tried = 0
    let refused = 0
    const slow: string[] = []
    while (tried < 1000) {
      const { source, text } = hostile(random)
      if (objectionToPattern(source) !== undefined) {
        refused++
        continue
      }
      tried++
      const ms = leastMs(() => engine.compile(source), text)
      if (ms > 5) slow.push(`${source}: ${ms}`)
    }
    expect(slow).toEqual([])
    // Some of each: otherwise the pairs are too tame, or the patterns that are left.
    expect(refused).toBeGreaterThan(50)
  },
  120_000,
)
