import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { referencePlaces } from '../../../../../testing/src/rules/reference-words.ts'
import { fold, foldedText } from './fold.ts'
import { layOutWords, type Term, WordFinder } from './words.ts'

const term = (text: string, more: Partial<Term> = {}): Term => ({
  text,
  how: 'word',
  disguises: false,
  target: 0,
  ...more,
})

/** What was found, as it stands in the original. */
function found(text: string, ...terms: Term[]): string[] {
  const parts: string[] = []
  new WordFinder(layOutWords(terms)).find(fold(text), (_, start, end) => {
    parts.push(text.slice(start, end))
    return true
  })
  return parts
}

describe('folding', () => {
  test.each([
    ['case', 'BaD', 'bad'],
    ['accents, composed or not', 'bàd ba\u0300d', 'bad bad'],
    ['wide and mathematical letters', 'ｂａｄ 𝐛𝐚𝐝 𝔟𝔞𝔡', 'bad bad bad'],
    ['ligatures and sharp s', 'ﬁne Straße STRASSE', 'fine strasse strasse'],
    ['letters that no normal form takes apart', 'Øł Æ İı', 'ol ae ii'],
    ['what cannot be seen', 'b\u200ba\u00add\ufeff', 'bad'],
    ['white space', 'a\u00a0\n\t b', 'a b'],
    ['the sigma that ends a word', 'ΛΟΓΟΣ λόγος', 'λογοσ λογοσ'],
    ['marks that are letters stay', 'がか कि', 'か\u3099か कि'],
    ['syllables stay whole', '가각', '가각'],
  ])('%s', (_, text, expected) => {
    expect(foldedText(text)).toBe(expected)
  })
})

describe('a word', () => {
  test('is found by itself, not as a part of another', () => {
    expect(found('Bad, badge bad! forbad_ (BÀD) bad2 -bad-', term('bad'))).toEqual([
      ...['Bad', 'bad', 'BÀD', 'bad'],
    ])
  })

  test('is found anywhere in a script without spaces', () => {
    expect(found('你他妈的混蛋', term('他妈的'))).toEqual(['他妈的'])
    expect(found('このくそったれめ', term('くそったれ'))).toEqual(['くそったれ'])
    expect(found('나쁜놈이다', term('나쁜놈'))).toEqual(['나쁜놈'])
    expect(found('คนเลวมาก', term('เลว'))).toEqual(['เลว'])
    expect(found('日本bad日本', term('bad'))).toEqual(['bad'])
  })

  test('of several words is found whatever is between them', () => {
    expect(found('el hijo \n de  PUTA.', term('hijo de puta'))).toEqual(['hijo \n de  PUTA'])
  })

  test('that equals is the whole text', () => {
    const bad = term('bad', { how: 'whole' })
    expect(['bad', ' BAD\n', 'bad!', 'not bad', 'bad bad'].map((text) => found(text, bad))).toEqual(
      [['bad'], ['BAD'], [], [], []],
    )
  })

  test('is found in look-alike letters only if asked for', () => {
    const texts = ['ѕріт', '$p1t!', 'sp!t', '5p|7']
    for (const text of texts) {
      expect(found(text, term('spit'))).toEqual([])
      expect(found(text, term('spit', { disguises: true })), text).toHaveLength(1)
    }
    expect(found('a$pit $pite', term('spit', { disguises: true }))).toEqual([])
  })

  test('is found with its letters spaced out only if asked for', () => {
    const spit = term('spit', { disguises: true })
    for (const text of ['s p i t', 'S.P.I.T!', 's - p - i - t', '$ p 1 t']) {
      expect(found(text, term('spit'))).toEqual([])
      expect(found(`so: ${text} `, spit), text).toEqual([text.replace(/!$/, '')])
    }
    expect(found('s pit sp it s p it s....p.i.t', spit)).toEqual([])
    expect(found('a t', term('at', { disguises: true }))).toEqual([])
  })
})

// Letters that meet: in case, accent, script and disguise; with what separates and what vanishes.
const letter = fc.constantFrom(
  ...['a', 'b', 'A', 'B', 'i', 'l', 's', 'á', 'ß', 'ﬁ', 'İ', '𝐚', 'а', 'α', '1', '5', '$', '!'],
  ...[
    '日',
    '本',
    '가',
    '각',
    'が',
    ' ',
    ' ',
    '.',
    '-',
    '_',
    '\u0301',
    '\u200b',
    '\n',
    '😀',
    '\u0640',
  ],
)
const text = fc.string({ unit: letter, maxLength: 24 })
const anyTerm = fc.record({
  text: fc.string({ unit: letter, minLength: 1, maxLength: 4 }),
  how: fc.constantFrom('word' as const, 'whole' as const, 'part' as const),
  disguises: fc.boolean(),
})

test('finds what a reference search finds, at the same places', () => {
  fc.assert(
    fc.property(fc.array(anyTerm, { minLength: 1, maxLength: 6 }), text, (drawn, said) => {
      const terms = drawn.map((one, target) => ({ ...one, target }))
      const places = terms.map(() => new Set<string>())
      new WordFinder(layOutWords(terms)).find(fold(said), (target, start, end) => {
        places[target]?.add(`${start}-${end}`)
        return true
      })
      const reference = terms.map((one) => referencePlaces(said, one))
      expect(places.map((one) => [...one].sort())).toEqual(reference)
    }),
    { numRuns: 4000 },
  )
})

test('finds each of ten thousand words, and none beside', () => {
  const words = Array.from({ length: 10_000 }, (_, n) => `w${n.toString(36)}`)
  const finder = new WordFinder(layOutWords(words.map((word, target) => term(word, { target }))))
  const targets: number[] = []
  const hear = (target: number) => targets.push(target) > 0
  finder.find(fold(words.join(' x')), hear)
  // All but the first have an x before them.
  expect(targets).toEqual([0])
  finder.find(fold(words.join(' ')), hear)
  expect(targets.slice(1)).toEqual(words.map((_, place) => place))
})
