import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseQuery, wordsOf } from './search-words.ts'

const appId = 'app'

/** Found by the hashes, as the database does, and by the text. */
function finds(query: string, text: string): boolean {
  const parsed = parseQuery(query)
  const kept = new Set(wordsOf(appId, text))
  const hashes = parsed.hashes(appId)
  const byHash = hashes.length > 0 && hashes.every((hash) => kept.has(hash))
  // Hashes may say yes too often, never no: or else the text would not be asked.
  if (parsed.matches(text) && hashes.length > 0) expect(byHash).toBe(true)
  return byHash && parsed.matches(text)
}

const found: readonly [query: string, text: string][] = [
  ['lunc', 'Lunch at noon?'],
  ['noon lunch', 'Lunch at noon?'],
  ['LUNCH', 'lunch'],
  ['a', 'plan a'],
  ['cafe', 'Café Ünïcödé'],
  ['éa', 'Beyonce, eau'],
  ['strasse', 'Hauptstraße in der STRAẞE'],
  ['straße', 'STRASSE'],
  ['lodz', 'Łódź'],
  ['aero', 'Ærøskøbing, Æro'],
  ['istanbul', 'İSTANBUL'],
  ['ISPARTA', 'ısparta'],
  ['οδοσ', 'ΟΔΟΣ'],
  ['Οδός', 'οδος'],
  ['елка', 'Ёлка'],
  ['мир', 'МИРУ мир'],
  ['السلام', 'السَّلَامُ عَلَيْكُم'],
  ['سلام', 'ســـلام'],
  ['میخواهم', 'می‌خواهم'],
  ['שלום', 'שָׁלוֹם'],
  ['नमस्ते', 'नमस्ते दुनिया'],
  ['नम', 'नमस्ते'],
  ['สวัสดี', 'ครับสวัสดีตอนเช้า'],
  ['น้ำ', 'ดื่มน้ำเย็น'],
  ['ສະບາຍ', 'ສະບາຍດີ'],
  ['ភាសា', 'ខ្ញុំរៀនភាសាខ្មែរ'],
  ['မြန်မာ', 'ငါမြန်မာစကားပြောတယ်'],
  ['天气', '今天天气很好'],
  ['天', '今天天气很好'],
  ['今天天气很好', '今天天气很好'],
  ['好 天气', '今天天气很好'],
  ['python', '使用Python编程'],
  ['编程', '使用Python编程'],
  ['カレー', '昨日カレーを食べました'],
  ['食べ', '昨日カレーを食べました'],
  ['ガム', 'ｶﾞﾑをかむ'],
  ['が', 'か\u3099'],
  ['학교', '학교에서 만나요'],
  ['전자', '삼성전자'],
  ['물', '물을 주세요'],
  ['👍', 'ok 👍🏽'],
  ['👍🏽', '👍'],
  ['❤', 'love ❤️'],
  ['👧', '👨‍👩‍👧'],
  ['🇩🇪', 'hello 🇩🇪🇫🇷'],
  ['1234567', '+49 170 1234567'],
  ['170', '+49 170 1234567'],
  ['3.14', 'pi is 3.14159'],
  ['ann.smith@example.com', 'write to Ann.Smith@Example.com!'],
  ['smith', 'write to ann.smith@example.com'],
  ['example.com/path', 'see https://www.example.com/path?q=1#top'],
  ['ann', 'over to <@uid:ann>'],
  ["don't", 'I don’t know'],
  ['ﬁle', 'file'],
  ['full', 'ｆｕｌｌ'],
  ['donaudampf', 'Donau\u00addampfschiff'],
]

const notFound: readonly [query: string, text: string][] = [
  ['unch', 'lunch'],
  ['l', 'lunch'],
  ['lunch dinner', 'lunch'],
  ['luncheon', 'lunch'],
  ['internet', 'internal, international'],
  ['की', 'कि'],
  ['か', 'がが'],
  ['気天', '天気'],
  ['天好', '今天天气很好'],
  ['🇪🇫', '🇩🇪🇫🇷'],
  ['👍', '👎'],
  ['uid', 'over to <@uid:ann>'],
  ['', 'anything'],
  ['?!', 'anything?!'],
]

describe('words', () => {
  test.each(found)('%s finds %s', (query, text) => {
    expect(finds(query, text)).toBe(true)
  })

  test.each(notFound)('%s does not find %s', (query, text) => {
    expect(finds(query, text)).toBe(false)
  })

  test('a query of nothing but punctuation asks for nothing', () => {
    expect(parseQuery('... ?!').hashes(appId)).toEqual([])
  })

  test('hashes are distinct, in order, 32 bits wide, and of one app', () => {
    const words = wordsOf(appId, 'lunch lunch at noon, 今天天气')
    expect(words).toEqual([...new Set(words)].sort((a, b) => a - b))
    expect(words.every((word) => word === (word | 0))).toBe(true)
    const others = new Set(wordsOf('another', 'lunch lunch at noon, 今天天气'))
    expect(words.filter((word) => others.has(word))).toEqual([])
  })

  test('a text of any length has its beginning found', () => {
    const text = `first ${'x '.repeat(100_000)} last`
    expect(finds('first', text)).toBe(true)
    expect(finds('last', text)).toBe(false)
  })
})

const alphabets = ['abcdefgz', 'äöüßéñø', 'αβγσς', 'абвгдё', 'بتثجح', 'अकिीनम', '0123456789']
const word = fc
  .constantFrom(...alphabets)
  .chain((letters) => fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 12 }))
  // A mark cannot begin a word.
  .filter((text) => !/^\p{M}/u.test(text))
const spaceless = fc.string({
  unit: fc.constantFrom(...'天気今日はカレーを食べる학교สวัสดีน้ำခြ'),
  minLength: 1,
  maxLength: 20,
})

describe('any text', () => {
  test('is found by its words, in any order, and by their beginnings from two letters on', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(), (all, pick) => {
        const text = all.join(' ')
        expect(finds(all.toReversed().join(', '), text)).toBe(true)
        const one = [...(all[pick % all.length] ?? '')]
        for (let length = 2; length <= one.length; length++) {
          expect(finds(one.slice(0, length).join(''), text)).toBe(true)
        }
      }),
    )
  })

  test('without spaces is found by any part of it', () => {
    fc.assert(
      fc.property(spaceless, fc.nat(), fc.nat(), (text, from, length) => {
        const characters = [...text]
        const start = from % characters.length
        const part = characters.slice(start, start + 1 + (length % (characters.length - start)))
        expect(finds(part.join(''), `so: ${text}!`)).toBe(true)
      }),
    )
  })

  test('is taken without a complaint, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, query) => {
        expect(wordsOf(appId, text).length).toBeLessThanOrEqual(20 + 10 * text.length)
        finds(query, text)
        if (parseQuery(text).hashes(appId).length > 0) expect(finds(text, text)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
