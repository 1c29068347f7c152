import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesInJson, trimmed } from './push/trim.ts'
import { render } from './render.ts'

const context = {
  message: {
    data: {
      text: 'Hi <@uid:Bob>, meet <@uid:stranger>',
      mentions: { bob: { name: 'Bob B.' } },
      customData: { price: 0, sold: false, none: null, list: ['a', 'b'] },
      empty: '',
    },
  },
  messages: [{}, {}, {}],
  to: { name: 'Ann' },
  senderDetails: { name: 'Zoë {{to.name}}' },
  groupDetails: { name: 'Tea' },
}
const shown = (template: string, more = {}) => render(template, context, { maxBytes: 500, ...more })

describe('a template', () => {
  test.each([
    ['{{to.name}}', 'Ann'],
    ['{{ to.name }}: {{messages.length}} new in {{groupDetails.name}}', 'Ann: 3 new in Tea'],
    ['{{message.data.text}}', 'Hi @Bob B., meet @stranger'],
    ['{{message.data.customData.price}} {{message.data.customData.sold}}', '0 false'],
    ['{{message.data.customData.list.1}}', 'b'],
    ['plain <@uid:bob>', 'plain <@uid:bob>'],
    ['', ''],
  ])('%s says %s', (template, text) => {
    expect(shown(template)).toBe(text)
  })

  test.each([
    '{{nobody.name}}',
    '{{message.data.customData.none}}',
    '{{message.data.customData}}',
    '{{message.data.customData.list}}',
    '{{to.name.length}}',
    '{{to.constructor.name}}',
    '{{__proto__}}',
    '{{to.__proto__.toString}}',
    '{{messages.map}}',
    '{{messages.__proto__.length}}',
  ])('leaves out what is not there: %s', (template) => {
    expect(shown(`<${template}>`)).toBe('<>')
  })

  test.each(['{{to.name', '{to.name}', '{{}}', '{{to.name + 1}}', '{{`x`}}', '<%= to.name %>'])(
    'runs nothing, and shows what is no placeholder as it is: %s',
    (template) => {
      expect(shown(template)).toBe(template)
    },
  )

  test('is not applied to what it has put in', () => {
    expect(shown('{{senderDetails.name}}')).toBe('Zoë {{to.name}}')
  })

  test('is cut after mentions have their names, not before', () => {
    const uid = 'b'.repeat(100)
    const data = { text: `${`<@uid:${uid}>`.repeat(10)} end`, mentions: { [uid]: { name: 'B' } } }
    const said = render('{{message.data.text}}', { message: { data } }, { maxBytes: 24 })
    expect(said).toBe(`${'@B'.repeat(10)} end`)
  })

  test('gives way to its fallback if one placeholder finds nothing, or an empty text', () => {
    const fallback = 'News for {{to.name}}{{nobody.name}}'
    expect(shown('{{to.name}} {{message.data.nothing}}', { fallback })).toBe('News for Ann')
    expect(shown('{{message.data.empty}}', { fallback })).toBe('News for Ann')
    expect(shown('{{to.name}}', { fallback })).toBe('Ann')
  })

  test('of any kind, with texts of any length, stays within its bytes', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{{message.data.text}}',
      '{{ to.name }}',
      '<@uid:',
      '>',
    )
    const template = fc
      .array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 40 })
      .map((pieces) => pieces.join(''))
    const text = fc.oneof(fc.constant('<@uid:bob>'), fc.string({ unit: 'grapheme', minLength: 1 }))
    fc.assert(
      fc.property(template, text, fc.integer({ min: 0, max: 300 }), (one, long, maxBytes) => {
        const data = { text: long.repeat(200), mentions: { bob: { name: 'B' } } }
        const said = render(one, { message: { data }, to: { name: long } }, { maxBytes })
        expect(bytesInJson(said)).toBeLessThanOrEqual(maxBytes)
      }),
    )
  })

  test('that names a long text very often takes no longer than it must', () => {
    const text = '<@uid:bob>'.repeat(100_000)
    const template = '{{message.data.text}}'.repeat(47) + '{{'.repeat(500)
    const before = process.cpuUsage()
    render(template, { message: { data: { text } } }, { maxBytes: 1024 })
    // In microseconds of work: a machine may be busy with something else in between.
    expect(process.cpuUsage(before).user).toBeLessThan(500_000)
  })
})

describe('trimming', () => {
  test('leaves alone what fits, and marks what it has cut', () => {
    expect(trimmed('hello', 5)).toBe('hello')
    expect(trimmed('hello', 4)).toBe('h…')
    expect(trimmed('hello', 3)).toBe('…')
    expect(trimmed('hello', 2)).toBe('')
    expect(trimmed('well, hello', 9)).toBe('well,…')
  })

  test('counts bytes as JSON writes them', () => {
    expect(trimmed('""""', 8)).toBe('""""')
    expect(trimmed('""""', 7)).toBe('""…')
    expect(trimmed('äöü', 5)).toBe('ä…')
  })

  test('cuts no character that a reader sees as one', () => {
    const family = '👨‍👩‍👧'
    expect(trimmed(`a${family}bcde`, 22)).toBe(`a${family}…`)
    expect(trimmed(`a${family}bcde`, 21)).toBe('a…')
    expect(trimmed(`e\u0301${'x'.repeat(9)}`, 5)).toBe('…')
  })

  test('never makes half a character, and never one byte too much', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 40 }), (text, most) => {
        const cut = trimmed(text, most)
        expect(cut.isWellFormed()).toBe(true)
        expect(bytesInJson(cut)).toBeLessThanOrEqual(most)
        expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true)
      }),
    )
  })
})
