import type { Operation } from '@chorale/contract/operation'
import type { JsonSchema } from './bad-requests.ts'
import {
  allows,
  type Change,
  changed,
  type FullCall,
  fullCall,
  inputParts,
  isText,
  type Part,
  type Place,
  placesIn,
} from './full-calls.ts'

/** A call as a client may write it, and the call that it means. */
export interface LenientCall {
  readonly leniency: Leniency
  /** `query.withTags = "1"` */
  readonly what: string
  readonly part: Part
  /** The name of the field, at the top. */
  readonly field: string
  readonly written: FullCall
  readonly meant: FullCall
}

/** All that `docs/compatibility.md` promises to read otherwise than it is written. */
export const leniencies = [
  'a boolean as a number',
  'a boolean as a word',
  'a number as text',
  'milliseconds',
  'a number for text',
  'a word in upper case',
  'an object as JSON text',
  'an empty list for an object',
  'a list as JSON text',
  'a list between commas',
  'one for a list',
  'a list with places',
  'null for nothing',
  'no text for nothing',
  'another spelling of a name',
] as const
type Leniency = (typeof leniencies)[number]

/** Each field of the operation in each way in which it may be written otherwise. */
export function* lenientCalls(operation: Operation): Iterable<LenientCall> {
  const call = fullCall(operation)
  for (const part of inputParts) {
    const schema = operation[part] as JsonSchema | undefined
    if (!schema) continue
    for (const place of placesIn(schema, call[part])) {
      for (const way of waysOf(place, part)) {
        const to = (change: Change) => ({
          ...call,
          [part]: changed(call[part], place.path, change),
        })
        const what = `${[part, ...place.path].join('.')} as ${JSON.stringify(way.written)}`
        const { leniency } = way
        const [field = ''] = place.path
        yield { leniency, what, part, field, written: to(way.written), meant: to(way.meant) }
      }
    }
  }
}

// How they may be written --------------------------------------------------------------------------

interface Way {
  readonly leniency: Leniency
  readonly written: Change
  readonly meant: Change
}

function* waysOf(place: Place, part: Part): Iterable<Way> {
  const asText = isText(part)
  for (const [leniency, written, meant] of valuesOf(place, asText)) {
    yield { leniency, written: { value: written }, meant: { value: meant } }
  }
  const { path, optional, schema } = place
  const inObject = path.at(-1) !== '0' && part !== 'params'
  if (optional && !asText && !isNullable(schema)) {
    yield { leniency: 'null for nothing', written: { value: null }, meant: undefined }
  }
  if (optional && inObject && hasForm(schema)) {
    yield { leniency: 'no text for nothing', written: { value: '' }, meant: undefined }
  }
  const name = (path.at(-1) ?? '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  if (inObject && name !== path.at(-1)) {
    const meant = { value: place.value }
    yield { leniency: 'another spelling of a name', written: { name }, meant }
  }
}

type Value = readonly [leniency: Leniency, written: unknown, meant: unknown]

function* valuesOf({ schema, value }: Place, asText: boolean): Iterable<Value> {
  switch (schema.type) {
    case 'boolean':
      return yield* booleans(asText)
    case 'integer':
    case 'number':
      return yield* numbers(schema, value, asText)
    case 'string':
      return yield* texts(schema, asText)
    case 'array':
      return yield* lists(schema, value, asText)
    case 'object':
      return yield* objects(schema, value)
  }
}

function* booleans(asText: boolean): Iterable<Value> {
  for (const [truth, digit, words] of [
    [true, 1, ['True', 'TRUE']],
    [false, 0, ['False', 'FALSE']],
  ] as const) {
    const meant = asText ? String(truth) : truth
    yield ['a boolean as a number', asText ? String(digit) : digit, meant]
    if (!asText) yield ['a boolean as a number', String(digit), meant]
    for (const word of words) yield ['a boolean as a word', word, meant]
  }
}

const secondsEnd = 9_999_999_999

function* numbers({ maximum }: JsonSchema, value: unknown, asText: boolean): Iterable<Value> {
  if (!asText) yield ['a number as text', String(value), value]
  if (maximum !== secondsEnd) return
  const [millis, seconds] = [1_700_000_000_123, 1_700_000_000]
  if (asText) yield ['milliseconds', String(millis), String(seconds)]
  else yield ['milliseconds', millis, seconds]
}

function* texts(schema: JsonSchema, asText: boolean): Iterable<Value> {
  for (const word of schema.enum ?? []) {
    const upper = String(word).toUpperCase()
    if (!schema.enum?.includes(upper)) yield ['a word in upper case', upper, word]
  }
  if (!asText && allowsNumber(schema)) yield ['a number for text', 4711, '4711']
}

function* lists({ items = {} }: JsonSchema, value: unknown, asText: boolean): Iterable<Value> {
  const list = [value].flat()
  yield ['a list as JSON text', JSON.stringify(list), list]
  if (items.type === 'string') yield ['a list between commas', list.join(', '), list]
  // In an address one alone is what a list of one looks like.
  if (asText) return
  if (items.type === 'string') yield ['one for a list', list[0], list.slice(0, 1)]
  if (allowsNumber(items)) yield ['one for a list', 4711, ['4711']]
  yield ['a list with places', { ...list }, list]
}

function allowsNumber(schema: JsonSchema): boolean {
  return schema.type === 'string' && allows(schema, '4711')
}

function* objects(schema: JsonSchema, value: unknown): Iterable<Value> {
  yield ['an object as JSON text', JSON.stringify(value), value]
  if ((schema.required ?? []).length > 0) return
  yield ['an empty list for an object', [], {}]
  yield ['an empty list for an object', '[]', {}]
}

function isNullable(schema: JsonSchema): boolean {
  return schema.anyOf?.some((one) => one.type === 'null' || isNullable(one)) ?? false
}

/** Where an empty text can be no value. */
function hasForm(schema: JsonSchema): boolean {
  const { type, anyOf, pattern, format, enum: words } = schema
  if (type !== 'string') return type !== 'array' && anyOf === undefined
  // Where it is only too short, it is refused rather than forgotten: a name must not be empty.
  return Boolean(pattern ?? format ?? words) && !allows({ ...schema, minLength: 0 }, '')
}
