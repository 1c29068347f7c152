import type { TSchema } from 'typebox'
import { parseJson } from './json.ts'

/** As much of a JSON schema as decides what a value is read as. */
interface Shape {
  readonly type?: string
  readonly anyOf?: readonly Shape[]
  readonly enum?: readonly unknown[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly maximum?: number
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  /** Of a free object: what is in it, for readers and for rules. */
  readonly 'x-documents'?: Readonly<Record<string, Shape>>
}

/**
 * Reads a value as its schema wants it, where a client has written it otherwise: `1` for true, a list
 * as `a,b`, an object as JSON text, `null` for what is absent. What cannot be read stays as it was,
 * for the validation to refuse. The list of what is read is in `docs/compatibility.md`.
 */
export function coerce(schema: TSchema, value: unknown): unknown {
  return read(schema as Shape, value)
}

/** In a query an empty text, such as of a search field that nobody has filled, is none. */
export function coerceQuery(schema: TSchema, written: unknown): unknown {
  const { properties = {} } = schema as Shape
  const query = Object(written)
  const isEmptyText = ([given, value]: [string, unknown]) =>
    value === '' && properties[nameIn(properties, query, given)]?.type === 'string'
  const filled = Object.entries(query).filter((entry) => !isEmptyText(entry))
  return coerce(schema, Object.fromEntries(filled))
}

/** Whether a field has another spelling of a known name: the validation would drop it as unknown. */
export function spellsOtherwise(schema: TSchema, value: unknown): boolean {
  return hasOtherName(schema as Shape, value)
}

function hasOtherName({ properties, items }: Shape, value: unknown): boolean {
  if (Array.isArray(value))
    return items !== undefined && value.some((one) => hasOtherName(items, one))
  if (!isObject(value) || !properties) return false
  for (const name of Object.keys(value)) {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (shape ? hasOtherName(shape, value[name]) : nameIn(properties, value, name) !== name) {
      return true
    }
  }
  return false
}

function read(shape: Shape, value: unknown): unknown {
  if (shape.anyOf) return readOneOf(shape.anyOf, value)
  switch (shape.type) {
    case 'boolean':
      return readBoolean(value)
    case 'integer':
    case 'number':
      return readNumber(shape, value)
    case 'string':
      return readText(shape, value)
    case 'array':
      return readList(shape, value)
    case 'object':
      return readObject(shape, value)
    default:
      return value
  }
}

/**
 * Text is read as the one alternative that it can mean: where text is one itself, it stays. Digits are
 * a number before they are a boolean.
 */
function readOneOf(alternatives: readonly Shape[], value: unknown): unknown {
  if (typeof value !== 'string' || alternatives.some(({ type }) => type === 'string')) return value
  const of = (...types: readonly string[]) =>
    alternatives.filter(({ type = '' }) => types.includes(type))
  for (const shape of [...of('integer', 'number'), ...of('boolean')]) {
    const result = read(shape, value)
    if (result !== value) return result
  }
  const [only, ...others] = of('array', 'object')
  if (!only || others.length > 0) return value
  const parsed = parsedJson(value)
  return parsed === undefined ? value : read(only, parsed)
}

const truths = new Map<unknown, boolean>([
  ...(['1', 'true'] as const).map((text) => [text, true] as const),
  ...(['0', 'false'] as const).map((text) => [text, false] as const),
])

function readBoolean(value: unknown): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  return truths.get(String(value).toLowerCase()) ?? value
}

const secondsEnd = 9_999_999_999

/** Milliseconds where seconds are meant are read as such: no second of this age has so many digits. */
function readNumber({ maximum }: Shape, value: unknown): unknown {
  const isText = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
  const number = isText ? Number(value) : value
  if (typeof number !== 'number') return value
  const isMillis =
    maximum === secondsEnd && number > secondsEnd && number <= secondsEnd * 1000 + 999
  return isMillis ? Math.floor(number / 1000) : number
}

function readText(shape: Shape, value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'string' && shape.format === 'uri') return readLink(value)
  if (typeof value !== 'string' || !shape.enum || shape.enum.includes(value)) return value
  const lower = value.toLowerCase()
  return shape.enum.find((one) => typeof one === 'string' && one.toLowerCase() === lower) ?? value
}

/** A link as people write it: blanks and letters of any script are encoded, as browsers do. */
function readLink(value: string): string {
  if (!/^https?:\/\//i.test(value) || !value.isWellFormed()) return value
  return value.trim().replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, encodeURIComponent)
}

function readList({ items = {} }: Shape, value: unknown): unknown {
  const list = listOf(value)
  return Array.isArray(list) ? list.map((item) => read(items, item)) : list
}

function listOf(value: unknown): unknown {
  if (typeof value === 'number') return [value]
  if (typeof value === 'string') {
    const parsed = isListText(value) ? parsedJson(value) : undefined
    if (Array.isArray(parsed)) return parsed
    return value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }
  // What PHP makes of a list from which it has removed some.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.keys(value).every((place) => /^\d+$/.test(place)) ? Object.values(value) : value
}

/**
 * Objects inside a free object, such as the metadata of a message: the validation lets them be, and
 * the rules refuse what is none.
 */
export function coerceInside(schema: TSchema, value: unknown): unknown {
  const { properties = {} } = schema as Shape
  if (!isObject(value)) return value
  const free = Object.keys(value).filter((name) => isFree(properties[name]))
  if (free.length === 0) return value
  const result = { ...value }
  for (const name of free) result[name] = read(properties[name] ?? {}, value[name])
  return result
}

function isFree(shape: Shape = {}): boolean {
  return shape.properties === undefined && shape['x-documents'] !== undefined
}

function readFree(documents: Readonly<Record<string, Shape>>, object: Record<string, unknown>) {
  const result: Record<string, unknown> = {}
  for (const [given, part] of Object.entries(object)) {
    const name = nameIn(documents, object, given)
    const type = Object.hasOwn(documents, name) ? documents[name]?.type : undefined
    const isStructured = type === 'object' || type === 'array'
    if (isStructured && part === null) continue
    if (type === 'object') result[name] = objectOf(part)
    else if (type === 'array') result[name] = (isListText(part) && parsedJson(part)) || part
    else result[given] = part
  }
  return result
}

function readObject(schema: Shape, value: unknown): unknown {
  const { properties = {}, patternProperties = {}, required = [] } = schema
  const { 'x-documents': documents } = schema
  const object = objectOf(value)
  if (!isObject(object)) return object
  // Names of the client's choice have one shape, or any.
  const [free] = Object.values(patternProperties)
  if (!(schema.properties ?? free)) return documents ? readFree(documents, object) : object
  const result: Record<string, unknown> = {}
  for (const [given, part] of Object.entries(object)) {
    const name = nameIn(properties, object, given)
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    const optional = !required.includes(name) || known?.default !== undefined
    if (known && optional && isAbsent(known, part)) continue
    const shape = known ?? free
    result[name] = shape ? read(shape, part) : part
  }
  return result
}

function objectOf(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 0) return {}
  if (typeof value !== 'string') return value
  const parsed = value.trim() === '' ? {} : parsedJson(value)
  if (Array.isArray(parsed) && parsed.length === 0) return {}
  return isObject(parsed) ? parsed : value
}

/** Pages have a length, which some lists call otherwise than others. */
const sameLength: Readonly<Record<string, string>> = { perPage: 'limit', limit: 'perPage' }

/** `per_page` means `perPage`, and either of them `limit`, unless that is there as well. */
function nameIn(properties: object, object: object, given: string): string {
  if (Object.hasOwn(properties, given)) return given
  const joined = given.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  const isMeant = (name = '') => Object.hasOwn(properties, name) && !Object.hasOwn(object, name)
  return [joined, sameLength[joined]].find(isMeant) ?? given
}

/** `null` says so anywhere; an empty text where only text of some form is allowed, or none. */
function isAbsent(shape: Shape, value: unknown): boolean {
  if (value === null) return !shape.anyOf?.some(({ type }) => type === 'null')
  if (value !== '') return false
  if (shape.type !== 'string') return shape.type !== 'array' && shape.anyOf === undefined
  if (shape.enum) return !shape.enum.includes('')
  if (shape.pattern !== undefined) return !new RegExp(shape.pattern, 'u').test('')
  return shape.format === 'uri'
}

function isListText(value: unknown): value is string {
  return typeof value === 'string' && value.trimStart().startsWith('[')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Held to the same as any JSON that is sent; undefined: it is none. */
function parsedJson(text: string): unknown {
  try {
    JSON.parse(text)
  } catch {
    // What it should have been is for the validation to say.
    return undefined
  }
  return parseJson(text, 'body')
}
