import type { Operation } from '@chorale/contract/operation'
import { _, Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Static, TSchema } from 'typebox'
import { characters } from './characters.ts'
import { coerce, coerceInside, coerceQuery, spellsOtherwise } from './coercion.ts'
import { invalid } from './failure.ts'
import { maxJsonBytes } from './json.ts'
import { isExact } from './numbers.ts'
import { type Details, objectionsTo } from './objections.ts'
import { unknownId } from './unknown-id.ts'

/** Reads one operation's input and checks its answer. */
export interface Validation {
  input(raw: RawInput): Record<string, unknown>
  /** What is wrong with an answer; undefined when it keeps the contract. */
  objectionToAnswer(answer: unknown): string | undefined
}

export interface RawInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  /** By names in lower case. A wire without headers has none. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined
  /** Undefined: there is none. Each time anew, because the validation changes what it reads. */
  readonly body: (() => unknown) | undefined
  readonly form?: unknown
  /** Of the body or the form, before it was parsed. Not said: few. */
  readonly bytes?: number
  /** Whether what clients write otherwise than the contract says is read as they mean it. */
  readonly lenient: boolean
}

// Unknown properties are dropped before a handler sees them, so they can never be stored.
const ofBodies = { removeAdditional: 'all', useDefaults: true, verbose: true } as const
const ofTexts = { ...ofBodies, coerceTypes: 'array' } as const
const bodies = engine(ofBodies)
const texts = engine(ofTexts)
// For what was refused: these go on behind the first objection. The schemas are checked already.
const ofRefused = { allErrors: true, validateSchema: false } as const
const thorough = {
  bodies: engine({ ...ofBodies, ...ofRefused }),
  texts: engine({ ...ofTexts, ...ofRefused }),
}
const answers = engine({})

const parts = ['params', 'query', 'headers', 'body', 'form'] as const

/** Whether all of it is text, of which the schema makes numbers. */
function isText(part: (typeof parts)[number]): boolean {
  return part !== 'body' && part !== 'form'
}

export function validationOf(operation: Operation): Validation {
  const readers = parts.flatMap((part) => {
    const schema: TSchema | undefined = operation[part]
    if (!schema) return []
    const kind = isText(part) ? 'texts' : 'bodies'
    const check = (isText(part) ? texts : bodies).compile(schema)
    const names = part === 'headers' ? Object.keys(operation.headers?.properties ?? {}) : []
    let all: Check | undefined
    const checkAll = () => {
      all ??= thorough[kind].compile(schema)
      return all
    }
    return [{ part, schema, check, checkAll, names }]
  })
  // Answers are large, and are checked in tests only: compiled when first needed.
  let checkAnswer: ReturnType<typeof answers.compile> | undefined
  return {
    input(raw) {
      const input: Record<string, unknown> = {}
      const details: Details = {}
      for (const reader of readers) {
        const { value, errors } = readPart(reader, raw)
        if (errors) Object.assign(details, objectionsIn(operation, raw, reader.part, errors))
        else if (isText(reader.part)) collectInexact(details, Object(value))
        if (reader.part === 'query') collectEmpty(details, Object(value))
        input[reader.part] = value
      }
      if (Object.keys(details).length > 0) throw invalid(details)
      return input
    },
    objectionToAnswer(answer) {
      checkAnswer ??= answers.compile(operation.response)
      return checkAnswer(answer) ? undefined : answers.errorsText(checkAnswer.errors)
    },
  }
}

export function lazyValidationOf(operation: Operation): Validation {
  let validation: Validation | undefined
  const compiled = () => {
    validation ??= validationOf(operation)
    return validation
  }
  return {
    input: (raw) => compiled().input(raw),
    objectionToAnswer: (answer) => compiled().objectionToAnswer(answer),
  }
}

type Check = ReturnType<typeof bodies.compile>

/** In a list of a million wrong items, all of them are too many objections to make. */
const maxThoroughBytes = 65_536

interface Reader {
  readonly part: (typeof parts)[number]
  readonly schema: TSchema
  readonly check: Check
  /** Finds all that is wrong. Compiled when something is. */
  readonly checkAll: () => Check
  readonly names: readonly string[]
}

/** A body as the contract has it is read once. Text may fit the contract and mean something else. */
function readPart(reader: Reader, raw: RawInput) {
  const { part, schema, check, names } = reader
  const asWritten = () => partOf(raw, part, names)
  const read = part === 'query' ? coerceQuery : coerce
  const asMeant = () => (raw.lenient ? read(schema, asWritten()) : asWritten())
  if (isText(part)) {
    const value = asMeant()
    const strange = strangeNumbers(schema, value)
    if (check(value) && strange.length === 0) return { value }
    return { value, errors: [...strange, ...allErrors(reader, asMeant)] }
  }
  const written = asWritten()
  const otherwise = raw.lenient && spellsOtherwise(schema, written)
  if (!otherwise && check(written)) {
    return { value: raw.lenient ? coerceInside(schema, written) : written }
  }
  const value = asMeant()
  if (check(value)) return { value }
  const isMuch = (raw.bytes ?? 0) > maxThoroughBytes
  return { value, errors: isMuch ? (check.errors ?? []) : allErrors(reader, asMeant) }
}

/** All that is wrong, of what `check` has just refused. */
function allErrors({ check, checkAll }: Reader, again: () => unknown): readonly ErrorObject[] {
  const first = check.errors ?? []
  const all = checkAll()
  return all(again()) ? first : (all.errors ?? first)
}

/** A call without a body is a call with an empty one: what is required speaks up itself. */
function partOf(raw: RawInput, part: (typeof parts)[number], names: readonly string[]): unknown {
  if (part === 'body') return raw.body?.() ?? {}
  if (part !== 'headers') return { ...Object(raw[part]) }
  const given = names.map((name) => [name, raw.headers?.[name.toLowerCase()]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ''))
}

/** Reads a value that comes over another wire than HTTP, or throws what is wrong with it. */
export function readerOf<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  const check = bodies.compile(schema)
  return (value) => {
    if (check(value)) return value as Static<T>
    throw invalid(objectionsTo(check.errors ?? []))
  }
}

function engine(options: object) {
  const ajv = new Ajv2020({
    allErrors: false,
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    // Doubles the time that compiling takes, and validating is no faster for it.
    code: { optimize: false },
    ...options,
  })
  addFormats.default(ajv, ['uri', 'binary'])
  ajv.addKeyword({ keyword: 'x-lowercase', modifying: true, type: 'string', validate: lowercase })
  ajv.addKeyword('x-documents')
  ajv.addKeyword('x-objection')
  ajv.addKeyword({ keyword: 'x-maxBytes', type: 'object', validate: maxBytes })
  // Ajv would count every character of a text, however long it is.
  for (const [keyword, validate] of Object.entries({ maxLength, minLength })) {
    ajv.removeKeyword(keyword)
    const error = {
      message: keyword,
      params: ({ schema }: { schema: number }) => _`{limit: ${schema}}`,
    }
    ajv.addKeyword({ keyword, type: 'string', schemaType: 'number', validate, error })
  }
  return ajv
}

/** A character has one or two units: most texts need not be counted. */
function maxLength(limit: number, text: string): boolean {
  return text.length <= limit || (text.length <= 2 * limit && characters(text) <= limit)
}

function minLength(limit: number, text: string): boolean {
  return text.length >= 2 * limit || (text.length >= limit && characters(text) >= limit)
}

interface DataPlace {
  parentData: Record<string | number, unknown>
  parentDataProperty: string | number
}

function lowercase(wanted: boolean, text: string, _schema?: unknown, place?: DataPlace): boolean {
  if (wanted && place) place.parentData[place.parentDataProperty] = text.toLowerCase()
  return true
}

/** Most are small whatever they hold. A unit of text has at most three bytes: most need not be counted. */
function maxBytes(limit: number, value: object): boolean {
  if (maxJsonBytes(value) <= limit) return true
  const text = JSON.stringify(value)
  return text.length * 3 <= limit || Buffer.byteLength(text) <= limit
}

/** Ajv makes a number of whatever JavaScript does: of `0x10`, `1e3` and a blank. */
function strangeNumbers({ properties = {} }: TSchema & { properties?: object }, value: unknown) {
  return Object.entries<TSchema & { type?: string }>({ ...properties }).flatMap(
    ([name, { type }]): ErrorObject[] => {
      const data: unknown = Object(value)[name]
      const isNumber = type === 'integer' || type === 'number'
      if (!isNumber || typeof data !== 'string' || /^-?\d+(\.\d+)?$/.test(data)) return []
      const place = { instancePath: `/${name}`, schemaPath: '' }
      return [{ ...place, keyword: 'type', params: { type }, data }]
    },
  )
}

/** Throws, where the path names what cannot exist. */
function objectionsIn(
  operation: Operation,
  { params }: RawInput,
  part: (typeof parts)[number],
  errors: readonly ErrorObject[],
): Details {
  const missing = part === 'params' ? unknownId(operation, params, errors) : undefined
  if (missing) throw missing
  return objectionsTo(errors)
}

/** A filter that names nothing: neither everything is meant by it nor nothing. */
function collectEmpty(details: Details, query: Readonly<Record<string, unknown>>): void {
  for (const [field, value] of Object.entries(query)) {
    if (!Array.isArray(value) || value.length > 0) continue
    details[field] = ['Name at least one, or leave this out.']
  }
}

/** Ajv makes a number of `Infinity`, and then holds it against no limit of the schema. */
function collectInexact(details: Details, value: Readonly<Record<string, unknown>>): void {
  for (const [field, items] of Object.entries(value)) {
    const found = [items].flat().some((item) => typeof item === 'number' && !isExact(item))
    if (found) details[field] = ['This field must be a number that can be kept exactly.']
  }
}
