import type { Condition } from '@chorale/contract/rules'
import { describe, expect, test } from 'vitest'
import { nativeEngine, portableEngine } from './patterns.ts'
import { type RuleInForce, ruleSetOf, type Subjects } from './rule-set.ts'

const native = await nativeEngine()
const engines = [portableEngine, ...(native ? [native] : [])]

const blank: Condition = {
  id: 1,
  isKeywordsReferencePresent: false,
  isMediaPresent: false,
  entity: 'message',
  operand: 'text',
  operator: 'contains',
  category: 'word',
  value: [],
}

function rule(id: string, ...conditions: Partial<Condition>[]): RuleInForce {
  const whole = conditions.map((one, place) => ({ ...blank, id: place + 1, ...one }))
  const revisionId = `app_${id}_1`
  return { id, name: id, revisionId, filters: [], conditions: whole, actions: ['blockMessage'] }
}

const lists = new Map([
  ['rude', ['darn', 'heck']],
  ['numbers', [String.raw`\d{3}-\d{4}`]],
])
const rules = [
  rule('second-word', { value: ['spam'] }, { value: ['ham', 'spam spam'] }),
  rule('listed', { isKeywordsReferencePresent: true, value: ['rude', 'gone'] }),
  rule('exact', { operator: 'equals', value: ['hello'] }),
  rule('figures', { category: 'pattern', isKeywordsReferencePresent: true, value: ['numbers'] }),
  rule('all-figures', { category: 'pattern', operator: 'equals', value: ['[0-9 -]+'] }),
  rule('links', { operand: 'link', value: ['evil.example'] }),
  rule('custom', { operand: 'custom', value: ['spam'] }),
  rule('files', { operand: 'file', category: 'pattern', value: [String.raw`\.exe\b`] }),
  rule('pictures', { operand: 'image', isMediaPresent: true, value: ['Violence_greaterThan_50'] }),
]

describe.each(engines)('with the engine $name', (engine) => {
  const set = ruleSetOf(rules, lists, engine)

  /** Rules, their conditions and what these found. */
  const found = (subjects: Subjects) =>
    set
      .examine(subjects)
      .map(({ rule: { id }, conditions }) => [
        id,
        ...conditions.map(({ condition, spans }) => [
          condition.id,
          ...spans.map(({ operand, start, end }) => subjects[operand]?.slice(start, end)),
        ]),
      ])

  test('tells which rules match, by which conditions, and where', () => {
    expect(found({ text: 'Spam spam, hám and 555-1234: what the HECK' })).toEqual([
      ['second-word', [1, 'Spam', 'spam'], [2, 'Spam spam', 'hám']],
      ['listed', [1, 'HECK']],
      ['figures', [1, '555-1234']],
    ])
    expect(found({ text: 'nothing of that' })).toEqual([])
    expect(found({})).toEqual([])
  })

  test('equals is about the whole text, of words and of patterns', () => {
    expect(found({ text: ' HELLO ' })).toEqual([['exact', [1, 'HELLO']]])
    expect(found({ text: 'hello you' })).toEqual([])
    expect(found({ text: '12 34\n' })).toEqual([['all-figures', [1, '12 34\n']]])
    expect(found({ text: '12 34 a' })).toEqual([])
  })

  test('each operand is looked at by itself', () => {
    expect(found({ text: 'evil.example .exe', link: 'https://evil.example/x' })).toEqual([
      ['links', [1, 'evil.example']],
    ])
    expect(found({ custom: 'spam', file: 'run.exe https://x/run.exe', image: 'spam' })).toEqual([
      ['custom', [1, 'spam']],
      ['files', [1, '.exe', '.exe']],
    ])
  })

  test('in a long text it is not said where a pattern matches', () => {
    const text = `${'x'.repeat(10_000)} 555-1234`
    const [finding] = set.examine({ text })
    expect(finding?.rule.id).toBe('figures')
    expect(finding?.conditions[0]?.spans).toEqual([{ operand: 'text', start: 0, end: text.length }])
  })

  test('a text full of matches has a hundred places', () => {
    const [finding] = set.examine({ text: 'heck '.repeat(2000) })
    expect(finding?.conditions[0]?.spans).toHaveLength(100)
  })

  test('C2: many conditions have a thousand places together, and each of them one', () => {
    const many = Array.from({ length: 30 }, (_, n) => rule(`r${n}`, { value: ['heck'] }))
    const findings = ruleSetOf(many, new Map(), engine).examine({ text: 'heck '.repeat(2000) })
    const places = findings.map(({ conditions }) => conditions[0]?.spans.length ?? 0)
    expect([places.length, Math.min(...places)]).toEqual([30, expect.toSatisfy((n) => n > 0)])
    expect(places.reduce((sum, one) => sum + one)).toBe(1000)
  })
})
