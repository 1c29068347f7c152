import type { Operation } from '@chorale/contract/operation'
import fc, { type Arbitrary } from 'fast-check'
import type { WireRequest } from '../network/wire.ts'
import { asForm } from './bad-forms.ts'
import { credentialsFor, type Known, prefixOf } from './right-place.ts'

export interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly 'x-documents'?: Readonly<Record<string, JsonSchema>>
}

/** Requests that are right or nearly so, and requests that are wrong in one of many ways. */
export function badRequests(operation: Operation, known: Known): Arbitrary<WireRequest> {
  const prefix = prefixOf(operation)
  const schema = operation.body ?? operation.form
  const body = schema ? bodyOf(schema as JsonSchema, known) : strayBody
  return fc
    .record({
      path: pathOf(operation, known),
      query: queryOf(operation, known),
      headers: headersOf(operation, known),
      body: operation.form ? body.map(asForm) : body,
    })
    .map(({ path, query, headers, body }) => ({
      method: operation.method,
      path: prefix + path + query,
      headers: { ...headers, ...(body?.type !== undefined && { 'content-type': body.type }) },
      body: body?.bytes,
    }))
}

/** Mostly as wanted; now and then as it must not be. */
function mostly<T>(usual: Arbitrary<T>, odd: Arbitrary<T>, times = 4): Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight: times }, { arbitrary: odd, weight: 1 })
}

// Values ------------------------------------------------------------------------------------------

const naughtyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\ufffd',
  '\ufeff',
  '\u202eabc',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e309',
  '0x10',
  'true',
  '../../etc/passwd',
  '../../../server/src',
  '%',
  '%%',
  '_',
  '\\',
  '\\u0000',
  '%00',
  '%s%n',
  '{uid}',
  '$1',
  "'; drop table users; --",
  '" or ""="',
  '<script>alert(1)</script>',
  '{"$gt":""}',
  'a\nb',
  'a\r\nx-injected: 1',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
  'e\u0301'.repeat(60),
  '\ufdfa'.repeat(100),
  '\u0130'.repeat(100),
  '\u{1f600}'.repeat(100),
  'a'.repeat(101),
  'a'.repeat(10_000),
  'x'.repeat(200_000),
] as const

const naughtyText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...naughtyTexts),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

const naughtyNumber = fc.constantFrom(
  -1,
  0,
  -0,
  0.5,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 63),
  1e21,
  1e308,
  5e-324,
)

const protoKeys = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'a\nb', '']

function nested(levels: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}

/** Not what any schema asks for. */
const naughtyValue: Arbitrary<unknown> = fc.oneof(
  naughtyText,
  naughtyNumber,
  fc.constantFrom(null, true, false, [], {}, [[]], [null]),
  fc.constantFrom(10, 31, 33, 100, 2000).map(nested),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom(...protoKeys), fc.jsonValue({ maxDepth: 1 })),
  fc.array(naughtyText, { maxLength: 30 }),
  fc.integer({ min: 26, max: 300 }).map((n) => Array.from({ length: n }, (_, i) => `item-${i}`)),
)

// What a schema asks for --------------------------------------------------------------------------

function wantedOf(schema: JsonSchema, name: string, known: Known): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => wantedOf(one, name, known)))
  switch (schema.type) {
    case 'string':
      return textOf(schema, name, known)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrayOf(schema, name, known)
    case 'object':
      return objectOf(schema, known)
    default:
      return fc.jsonValue()
  }
}

function textOf(schema: JsonSchema, name: string, known: Known): Arbitrary<string> {
  const { minLength = 0, maxLength = 1000, pattern, format } = schema
  const free = pattern
    ? fc.stringMatching(new RegExp(pattern), { maxLength: Math.min(maxLength, 120) })
    : format === 'uri'
      ? fc.webUrl()
      : fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 120) })
  const values = knownFor(name, known)
  return values.length > 0 ? mostly(fc.constantFrom(...values), free) : free
}

/** `uid`, but also `blockedUids`, `uidsToActivate` and the like mention a uid. */
export function knownFor(name: string, { values }: Known): readonly string[] {
  const exact = values[name]
  if (exact) return exact
  const lower = name.toLowerCase()
  const near = Object.keys(values).find((key) => lower.includes(key.toLowerCase()))
  const isUser = /friends|accepted|sender|receiver/.test(lower)
  return (near && values[near]) || (isUser ? (values.uid ?? []) : [])
}

function numberOf({ minimum = 0, maximum = 1_000_000 }: JsonSchema): Arbitrary<number> {
  return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum))
}

function arrayOf(schema: JsonSchema, name: string, known: Known): Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = 10 } = schema
  return fc.array(wantedOf(items, name, known), {
    minLength: minItems,
    maxLength: Math.max(minItems, Math.min(maxItems, 10)),
  })
}

function objectOf(schema: JsonSchema, known: Known): Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, wantedOf(property, name, known)] as const,
  )
  const free = Object.values(schema.patternProperties ?? {})[0] ?? freeOf(schema)
  if (fields.length === 0) return dictionaryOf(free, known)
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: [...(schema.required ?? [])],
    noNullPrototype: true,
  })
}

function freeOf({ additionalProperties }: JsonSchema): JsonSchema {
  return typeof additionalProperties === 'object' ? additionalProperties : {}
}

function dictionaryOf(schema: JsonSchema, known: Known): Arbitrary<Record<string, unknown>> {
  const key = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.constantFrom('listUsers', 'createGroup', 'apiKeys.authOnlyCreatesUsers', ...protoKeys),
  )
  return fc.dictionary(key, wantedOf(schema, '', known), { maxKeys: 8, noNullPrototype: true })
}

// The parts of a request --------------------------------------------------------------------------

/** Every byte that is not plain is escaped, so that bytes which are not UTF-8 can be told as well. */
export function escaped(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return /[A-Za-z0-9_-]/.test(char) ? char : `%${byte.toString(16).padStart(2, '0')}`
    })
    .join('')
}

const oddSegment = fc.oneof(
  naughtyText.map((text) => escaped(Buffer.from(text.slice(0, 4000)))),
  fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => escaped(Buffer.from(bytes))),
  fc.constantFrom('%', '%zz', '%00', '../../../server/src', '.', '*', '~', ';a=b', '%2F', '%2e%2e'),
)

function pathOf(operation: Operation, known: Known): Arbitrary<string> {
  const properties = (operation.params as JsonSchema | undefined)?.properties ?? {}
  const segments = operation.path.split('/').map((segment) => {
    if (!segment.startsWith(':')) return fc.constant(segment)
    const name = segment.slice(1)
    const wanted = wantedOf(properties[name] ?? { type: 'string' }, name, known)
    const usual = wanted.map((value) => escaped(Buffer.from(String(value))))
    // An empty segment would be another address.
    return mostly(usual, oddSegment, 8).map((text) => text || 'x')
  })
  return fc.tuple(...segments).map((parts) => parts.join('/'))
}

const oddPair = fc
  .tuple(
    fc.constantFrom('page', 'perPage', 'cursor', 'searchKey', 'tags[]', 'a[b][c]', ...protoKeys),
    fc.oneof(naughtyText, naughtyNumber.map(String)),
  )
  .map(
    ([name, value]) =>
      `${escaped(Buffer.from(name))}=${escaped(Buffer.from(value.slice(0, 4000)))}`,
  )

const oddQuery = fc.oneof(
  fc.constantFrom(
    '?',
    '&',
    '&&&=',
    '=',
    'page',
    'page=%',
    'page=%ff',
    'page[]=1&page=2',
    '%00=%00',
  ),
  fc.array(oddPair, { maxLength: 20 }).map((pairs) => pairs.join('&')),
  fc.constant('x=1&'.repeat(500)),
)

function queryOf(operation: Operation, known: Known): Arbitrary<string> {
  const schema = operation.query as JsonSchema | undefined
  const usual = schema
    ? objectOf({ ...schema, required: [] }, known).map((values) =>
        Object.entries(values)
          .flatMap(([name, value]) => [value].flat().map((item) => [name, String(item)] as const))
          .map(([name, value]) => `${name}=${escaped(Buffer.from(value))}`)
          .join('&'),
      )
    : fc.constant('')
  return mostly(usual, oddQuery).map((text) => (text === '' ? '' : `?${text}`))
}

/** What Node's own client refuses to send cannot arrive either. */
const headerText = fc.oneof(
  fc.constantFrom('', ' ', 'x', '\u00e9\u00ff', '__proto__', 'a, b', 'a'.repeat(8000), '\tx'),
  fc.string({ unit: fc.constantFrom(...'abc;,="\\/<>@'), maxLength: 50 }),
)

function headersOf(
  operation: Operation,
  known: Known,
): Arbitrary<Record<string, string | string[]>> {
  const host = operation.requires === 'management' ? 'apimgmt.localhost' : 'localhost'
  const right = { host, ...credentialsFor(operation, known) }
  const actor = operation.onBehalfOf
    ? fc.constantFrom(...(known.values.uid ?? ['ada'])).map((uid) => ({ onBehalfOf: uid }))
    : fc.constant({})
  const usual: Arbitrary<Record<string, string | string[]>> = actor.map((more) => ({
    ...right,
    ...more,
  }))
  const ours = ['cookie', 'appId', 'apikey', 'authToken', 'onBehalfOf', 'key', 'secret']
  const names = [...ours, 'accept', 'content-encoding']
  const odd = fc
    .tuple(fc.constantFrom(...names), fc.oneof(headerText, fc.array(headerText, { minLength: 2 })))
    .map(([name, value]) => ({ ...right, [name]: value }))
  return mostly(usual, odd, 8)
}

interface Body {
  readonly bytes: Buffer
  readonly type?: string | undefined
}

const oddType = fc.constantFrom(
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/jsonp',
  'json',
  '',
  '/',
  ';',
  'a'.repeat(1000),
)

const rawBodies: Arbitrary<Body | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ bytes: Buffer.from(bytes) })),
  fc
    .constantFrom('', '{', '[]', 'null', '1', '""', '{}{}', '{"a":1e999}', '['.repeat(50_000))
    .map((text) => ({ bytes: Buffer.from(text) })),
  fc.constant({ bytes: Buffer.alloc(1_000_000, '{"a":') }),
)

/** For calls that take no body: nothing, or something to be ignored. */
const strayBody = mostly(fc.constant<Body | undefined>(undefined), rawBodies)

function bodyOf(schema: JsonSchema, known: Known): Arbitrary<Body | undefined> {
  const right = objectOf(schema, known)
  const json = fc.oneof(
    { arbitrary: right.map((value) => JSON.stringify(value)), weight: 5 },
    { arbitrary: mutated(right, schema).map((value) => JSON.stringify(value)), weight: 6 },
  )
  const usual = json.map((text): Body => ({ bytes: Buffer.from(text) }))
  const odd = fc.oneof(
    rawBodies,
    fc.tuple(json, oddType).map(([text, type]): Body => ({ bytes: Buffer.from(text), type })),
    fc.tuple(json, fc.nat(), fc.constantFrom(0xff, 0xc0, 0x00, 0xed)).map(spoilt),
  )
  return mostly(usual, odd)
}

/** One field gone, one too many, or one of another kind. */
function mutated(
  right: Arbitrary<Record<string, unknown>>,
  schema: JsonSchema,
): Arbitrary<Record<string, unknown>> {
  const names = [...Object.keys(schema.properties ?? {}), 'extra', ...protoKeys]
  return fc
    .tuple(
      right,
      fc.array(fc.tuple(fc.constantFrom(...names), naughtyValue), { minLength: 1, maxLength: 3 }),
      fc.boolean(),
    )
    .map(([value, changes, remove]) => {
      const kept = Object.entries(value).filter(([name]) => !remove || name !== changes[0]?.[0])
      return Object.fromEntries([...kept, ...(remove ? changes.slice(1) : changes)])
    })
}

function spoilt([text, place, byte]: [string, number, number]): Body {
  const bytes = Buffer.from(text)
  if (bytes.length > 0) bytes[place % bytes.length] = byte
  return { bytes }
}
