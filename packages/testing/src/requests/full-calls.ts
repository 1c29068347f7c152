import type { Operation } from '@chorale/contract/operation'
import type { JsonSchema } from './bad-requests.ts'

export type Part = 'params' | 'query' | 'body' | 'form'
export const inputParts: readonly Part[] = ['params', 'query', 'body', 'form']

/** What the validation reads, before it does. */
export type FullCall = Readonly<Record<Part, Readonly<Record<string, unknown>>>>

/** As the contract has it, with every field that there is. */
export function fullCall(operation: Operation): FullCall {
  const of = (part: Part) => {
    // The parts of an operation are plain JSON Schema.
    const schema = operation[part] as JsonSchema | undefined
    return schema ? Object(fullOf(schema, isText(part))) : {}
  }
  return { params: of('params'), query: of('query'), body: of('body'), form: of('form') }
}

/** An address holds no numbers and no booleans, but their texts. */
export function isText(part: Part): boolean {
  return part === 'params' || part === 'query'
}

function fullOf(schema: JsonSchema, asText: boolean): unknown {
  const value = plainOf(schema, asText)
  return asText && typeof value !== 'object' ? String(value) : value
}

function plainOf(schema: JsonSchema, asText: boolean): unknown {
  if (schema.enum) return schema.enum[0]
  if ('const' in schema) return schema.const
  const [first] = schema.anyOf ?? []
  const kind = schema.anyOf?.find(({ type }) => type === 'string') ?? first
  if (kind) return fullOf(kind, asText)
  switch (schema.type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return listOf(schema, asText)
    case 'object':
      return objectOf(schema, asText)
    default:
      return textOf(schema)
  }
}

/** Two, where there may be so many. */
function listOf(
  { items = {}, minItems = 0, maxItems = 2 }: JsonSchema,
  asText: boolean,
): unknown[] {
  const length = Math.max(minItems, Math.min(maxItems, 2))
  return Array.from({ length }, () => fullOf(items, asText))
}

function objectOf(schema: JsonSchema, asText: boolean): Record<string, unknown> {
  const [free] = Object.values(schema.patternProperties ?? {})
  const named = Object.entries(schema.properties ?? { ...(free && { anything: free }) })
  if (named.length === 0) return { note: 'text' }
  return Object.fromEntries(named.map(([name, property]) => [name, fullOf(property, asText)]))
}

const uuid = '0190a6e4-7e1b-7000-8000-000000000001'
const samples = [
  'abc',
  '4711',
  '7',
  '123456',
  'a_1',
  uuid,
  'https://example.com/a',
  'a@example.com',
  '+49 30 123456',
  'image/png',
  'chat/',
]

/** The first sample that the schema allows. */
function textOf(schema: JsonSchema): string {
  const found = samples.find((text) => allows(schema, text))
  if (found === undefined) throw new Error(`No sample fits ${JSON.stringify(schema)}.`)
  return found
}

export function allows(schema: JsonSchema, text: string): boolean {
  const { pattern = '', format, minLength = 0, maxLength = 1000 } = schema
  if (schema.enum) return schema.enum.includes(text)
  const fits = text.length >= minLength && text.length <= maxLength
  return fits && new RegExp(pattern, 'u').test(text) && (format !== 'uri' || URL.canParse(text))
}

// Where the fields are -----------------------------------------------------------------------------

export interface Place {
  readonly path: readonly string[]
  readonly schema: JsonSchema
  readonly value: unknown
  readonly optional: boolean
}

/** A part itself is none: what a wire makes of it is an object. Kinds to choose from stay closed. */
export function* placesIn(
  schema: JsonSchema,
  value: unknown,
  path: readonly string[] = [],
  optional = false,
): Iterable<Place> {
  if (path.length > 0) yield { path, schema, value, optional }
  const inside = Object(value)
  const { properties = {}, required = [], items, anyOf } = schema
  if (anyOf) return
  for (const [name, property] of Object.entries(properties)) {
    const mayLack = !required.includes(name) || 'default' in property
    yield* placesIn(property, inside[name], [...path, name], mayLack)
  }
  if (items && inside.length > 0) yield* placesIn(items, inside[0], [...path, '0'], false)
}

/** Undefined: the field is not there. A name: it has this one. */
export type Change = { readonly value: unknown } | { readonly name: string } | undefined

export function changed(
  whole: unknown,
  [step = '', ...rest]: readonly string[],
  change: Change,
): Record<string, unknown> {
  const entries = Object.entries(Object(whole)).flatMap(([name, value]) => {
    if (name !== step) return [[name, value] as const]
    if (rest.length > 0) return [[name, changed(value, rest, change)] as const]
    if (change === undefined) return []
    return 'name' in change ? [[change.name, value] as const] : [[name, change.value] as const]
  })
  const object = Object.fromEntries(entries)
  // Its places are the names.
  return Array.isArray(whole) ? (Object.values(object) as never) : object
}
