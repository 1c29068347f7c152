import type { Operation } from '@chorale/contract/operation'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Static, TSchema } from 'typebox'
import { Failure } from './failure.ts'

/** Reads one operation's input and checks its answer. */
export interface Validation {
  input(raw: RawInput): Record<string, unknown>
  /** What is wrong with an answer; undefined when it keeps the contract. */
  objectionToAnswer(answer: unknown): string | undefined
}

interface RawInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  /** By names in lower case. A wire without headers has none. */
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body: unknown
  readonly form?: unknown
}

// Unknown properties are dropped before a handler sees them, so they can never be stored.
const bodies = engine({ removeAdditional: 'all', useDefaults: true })
const texts = engine({ removeAdditional: 'all', useDefaults: true, coerceTypes: 'array' })
const answers = engine({ code: { optimize: false } })

const parts = ['params', 'query', 'headers', 'body', 'form'] as const

/** Whether all of it is text, of which the schema makes numbers. */
function isText(part: (typeof parts)[number]): boolean {
  return part !== 'body' && part !== 'form'
}

export function validationOf(operation: Operation): Validation {
  const readers = parts.flatMap((part) => {
    const schema: TSchema | undefined = operation[part]
    if (!schema) return []
    const check = (isText(part) ? texts : bodies).compile(schema)
    const names = part === 'headers' ? Object.keys(operation.headers?.properties ?? {}) : []
    return [{ part, check, names }]
  })
  // Answers are large, and are checked in tests only: compiled when first needed.
  let checkAnswer: ReturnType<typeof answers.compile> | undefined
  return {
    input(raw) {
      const input: Record<string, unknown> = {}
      const details: Record<string, string[]> = {}
      for (const { part, check, names } of readers) {
        const value = partOf(raw, part, names)
        if (!check(value)) collect(details, check.errors ?? [])
        else if (isText(part)) collectInexact(details, Object(value))
        input[part] = value
      }
      if (Object.keys(details).length > 0) throw new Failure('ERR_BAD_REQUEST', {}, { details })
      return input
    },
    objectionToAnswer(answer) {
      checkAnswer ??= answers.compile(operation.response)
      return checkAnswer(answer) ? undefined : answers.errorsText(checkAnswer.errors)
    },
  }
}

/** A call without a body is a call with an empty one: what is required speaks up itself. */
function partOf(raw: RawInput, part: (typeof parts)[number], names: readonly string[]): unknown {
  if (part === 'body') return raw.body ?? {}
  if (part !== 'headers') return { ...Object(raw[part]) }
  const given = names.map((name) => [name, raw.headers?.[name.toLowerCase()]] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ''))
}

/** Reads a value that comes over another wire than HTTP, or throws what is wrong with it. */
export function readerOf<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  const check = bodies.compile(schema)
  return (value) => {
    if (check(value)) return value as Static<T>
    const details: Record<string, string[]> = {}
    collect(details, check.errors ?? [])
    throw new Failure('ERR_BAD_REQUEST', {}, { details })
  }
}

function engine(options: object) {
  const ajv = new Ajv2020({
    allErrors: false,
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    ...options,
  })
  addFormats.default(ajv, ['uri', 'binary'])
  ajv.addKeyword({ keyword: 'x-lowercase', modifying: true, type: 'string', validate: lowercase })
  ajv.addKeyword('x-documents')
  ajv.addKeyword({ keyword: 'x-maxBytes', type: 'object', validate: maxBytes })
  return ajv
}

interface DataPlace {
  parentData: Record<string | number, unknown>
  parentDataProperty: string | number
}

function lowercase(wanted: boolean, text: string, _schema?: unknown, place?: DataPlace): boolean {
  if (wanted && place) place.parentData[place.parentDataProperty] = text.toLowerCase()
  return true
}

function maxBytes(limit: number, value: object): boolean {
  return Buffer.byteLength(JSON.stringify(value)) <= limit
}

function collect(details: Record<string, string[]>, found: readonly ErrorObject[]): void {
  for (const error of found) {
    const place = error.instancePath.slice(1).replaceAll('/', '.')
    const field =
      error.keyword === 'required'
        ? [place, String(error.params.missingProperty)].filter(Boolean).join('.')
        : place || 'body'
    details[field] = [...(details[field] ?? []), sentence(error)]
  }
}

export const inexact = 'The number is too large to be kept exactly; send it as a string.'

export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

/** Ajv makes a number of `Infinity`, and then holds it against no limit of the schema. */
function collectInexact(
  details: Record<string, string[]>,
  value: Readonly<Record<string, unknown>>,
): void {
  for (const [field, items] of Object.entries(value)) {
    const found = [items].flat().some((item) => typeof item === 'number' && !isExact(item))
    if (found) details[field] = ['This field must be a number that can be kept exactly.']
  }
}

function sentence(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'This field is required.'
    case 'enum':
      return `Use one of: ${error.params.allowedValues.join(', ')}.`
    case 'pattern':
      return `Must match ${error.params.pattern}.`
    case 'x-maxBytes':
      return `Must be at most ${error.schema} bytes of JSON.`
    default:
      return `This field ${error.message ?? 'is not valid'}.`
  }
}
