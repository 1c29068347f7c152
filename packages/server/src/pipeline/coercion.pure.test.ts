import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { coerce, coerceInside, coerceQuery } from './coercion.ts'

const seconds = Type.Integer({ minimum: 0, maximum: 9_999_999_999 })
const order = Type.Unsafe({ type: 'string', enum: ['asc', 'desc'] })
const free = Type.Unsafe({ type: 'object' })
const list = Type.Array(Type.String())
const id = Type.Union([Type.String(), Type.Integer()])

const cases: readonly (readonly [string, TSchema, unknown, unknown])[] = [
  ['1 is true', Type.Boolean(), '1', true],
  ['the number 0 is false', Type.Boolean(), 0, false],
  ['True is true', Type.Boolean(), 'True', true],
  ['FALSE is false', Type.Boolean(), 'FALSE', false],
  ['2 is no boolean', Type.Boolean(), 2, 2],
  ['yes is no boolean', Type.Boolean(), 'yes', 'yes'],
  ['digits are a number', Type.Integer(), '12', 12],
  ['words are not', Type.Integer(), '12a', '12a'],
  ['Infinity is not', Type.Number(), 'Infinity', 'Infinity'],
  ['milliseconds are seconds', seconds, 1_700_000_000_123, 1_700_000_000],
  ['also as text', seconds, '1700000000123', 1_700_000_000],
  ['seconds stay', seconds, 1_700_000_000, 1_700_000_000],
  ['what is no limit of seconds stays', Type.Integer(), 1_700_000_000_123, 1_700_000_000_123],
  ['a number is an id', Type.String(), 42, '42'],
  ['a fraction is none', Type.String(), 4.2, 4.2],
  ['upper case', order, 'DESC', 'desc'],
  ['another word', order, 'up', 'up'],
  ['a list between commas', list, 'a, b,,c', ['a', 'b', 'c']],
  ['a list as JSON text', list, '["a","b"]', ['a', 'b']],
  ['one alone', list, 'a', ['a']],
  ['an empty list', list, '', []],
  ['numbers for names', list, { 0: 'a', 2: 'b' }, ['a', 'b']],
  ['other names are no list', list, { a: 'b' }, { a: 'b' }],
  ['numbers in a list', list, [1, 2], ['1', '2']],
  ['JSON text', free, '{"a":{"b":[]}}', { a: { b: [] } }],
  ['text that is no JSON', free, 'hello', 'hello'],
  ['JSON that is no object', free, '7', '7'],
  ['an empty list for an object', free, [], {}],
  ['an empty list as text', free, '[]', {}],
  ['no text at all', free, '', {}],
  ['what is inside an object of the client stays', free, { a: '1', b: null }, { a: '1', b: null }],
  ['a choice of types stays', id, '7', '7'],
]

describe('a value is read as', () => {
  test.each(cases)('%s', (_, schema, given, expected) => {
    expect(coerce(schema, given)).toEqual(expected)
  })
})

describe('in an object', () => {
  const schema = Type.Object({
    name: Type.String({ minLength: 1 }),
    about: Type.Optional(Type.String()),
    avatar: Type.Optional(Type.String({ format: 'uri' })),
    perPage: Type.Optional(Type.Integer()),
    tags: Type.Optional(list),
    metadata: Type.Optional(free),
    reply: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  })

  test.each([
    ['null is absent', { name: 'a', avatar: null, metadata: null }, { name: 'a' }],
    ['null stays where it means something', { reply: null }, { reply: null }],
    ['an empty text is absent where text has a form', { avatar: '', about: '' }, { about: '' }],
    ['an empty name is refused, not forgotten', { name: '' }, { name: '' }],
    ['an empty number is absent', { perPage: '' }, {}],
    ['an empty list is a list', { tags: '' }, { tags: [] }],
    ['what is required stays, for the refusal', { name: null }, { name: null }],
    ['another spelling of a name', { per_page: '5' }, { perPage: 5 }],
    ['another word for the length of a page', { limit: '5' }, { perPage: 5 }],
    ['the usual spelling wins', { per_page: 5, perPage: 6 }, { per_page: 5, perPage: 6 }],
    ['what is not known stays', { snake_case: 1 }, { snake_case: 1 }],
    ['inside, too', { tags: 'a,b', metadata: '{"c":1}' }, { tags: ['a', 'b'], metadata: { c: 1 } }],
  ])('%s', (_, given, expected) => {
    expect(coerce(schema, given)).toEqual(expected)
  })

  test('JSON in text is held to what any JSON is', () => {
    const hostile = '{"__proto__":{"polluted":true}}'
    expect(() => coerce(schema, { metadata: hostile })).toThrow('not valid')
  })
})

test('in a query an empty text is absent, and an empty list is none', () => {
  const schema = Type.Object({
    searchKey: Type.Optional(Type.String({ minLength: 1 })),
    uids: list,
  })
  expect(coerceQuery(schema, { searchKey: '', uids: '' })).toEqual({ uids: [] })
  expect(coerceQuery(schema, { search_key: '', other: '' })).toEqual({ other: '' })
})

describe('inside a free object that the contract describes', () => {
  const content = Type.Unsafe({
    type: 'object',
    'x-documents': { text: Type.String(), metadata: free, customData: free, attachments: list },
  })
  const schema = Type.Object({ data: content, other: free })

  test.each([
    [
      'objects are read',
      { metadata: '{"a":1}', customData: [] },
      { metadata: { a: 1 }, customData: {} },
    ],
    ['null is absent', { text: 'hi', metadata: null, attachments: null }, { text: 'hi' }],
    ['a list is read as JSON text', { attachments: '["b"]' }, { attachments: ['b'] }],
    ['and is no text', { text: '[1]', attachments: 'a,b' }, { text: '[1]', attachments: 'a,b' }],
    ['another spelling of a name', { custom_data: { a: 1 } }, { customData: { a: 1 } }],
    ['what is no object stays, for the rules', { metadata: 'hello' }, { metadata: 'hello' }],
    [
      'all else is the client’s',
      { text: 5, more: '{}', b_c: [] },
      { text: 5, more: '{}', b_c: [] },
    ],
  ])('%s', (_, data, expected) => {
    const other = { metadata: '{}' }
    expect(coerceInside(schema, { data, other })).toEqual({ data: expected, other })
    expect(coerce(schema, { data, other })).toEqual({ data: expected, other })
  })
})
