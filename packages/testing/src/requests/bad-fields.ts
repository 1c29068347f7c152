import { appSettingDefaults } from '@chorale/contract/apps'
import type { Operation } from '@chorale/contract/operation'
import type { WireRequest } from '../network/wire.ts'
import { asForm } from './bad-forms.ts'
import { escaped, type JsonSchema, knownFor } from './bad-requests.ts'
import { credentialsFor, type Known, prefixOf } from './right-place.ts'

/** A request that is right but for one field. */
export interface FieldRequest {
  /** Where it is, and its value: `query.limit = Infinity`. */
  readonly what: string
  readonly request: WireRequest
}

/** Each field of the operation with each value that its kind should not have. */
export function* fieldRequests(operation: Operation, known: Known): Iterable<FieldRequest> {
  for (const part of ['params', 'query'] as const) {
    // What a parameter may be is plain JSON Schema.
    const { properties = {} } = (operation[part] as JsonSchema | undefined) ?? {}
    for (const [name, schema] of Object.entries(properties)) {
      for (const text of isCountable(schema) ? numberTexts : otherTexts) {
        if (part === 'params' && text === '') continue
        const what = `${part}.${name} = ${text}`
        yield { what, request: requestWith(operation, known, { [part]: { [name]: text } }) }
      }
    }
  }
  const body = (operation.body ?? operation.form) as JsonSchema | undefined
  if (!body) return
  const seen = new Set<string>()
  for (const { path, schema } of fieldsIn(body, [])) {
    for (const text of bodyTextsFor(schema)) {
      if (seen.size === seen.add(`${path} ${text}`).size) continue
      const whole = merged(usualOf(operation), put(body, path, known))
      const json = JSON.stringify(whole).replace(`"${mark}"`, () => text)
      const what = `body.${path.join('.')} = ${text}`
      yield { what, request: requestWith(operation, known, { json }) }
    }
  }
}

// The values --------------------------------------------------------------------------------------

const numberTexts = [
  ...['Infinity', '-Infinity', 'NaN', '1e300', '-1e300', '-1', '0', '0.5', '', '0x10', '1e18'],
  ...['2147483648', '9007199254740991', '9007199254740992', '9223372036854775808'],
]
const otherTexts = ['', '1e300', '9223372036854775808', 'null', '[]']

const numbers = [
  ...['1e999', '-1e999', '"Infinity"', '"NaN"', '1e300', '-1', '0', '0.5', '""', 'null', '[]'],
  ...['2147483648', '9007199254740991', '9007199254740992', '9223372036854775808', '{}'],
]
const lists = [
  ...['[null]', '[[]]', '[{}]', '[[null]]', '[{"a":null}]', '[1e308]', '[true]', '[""]', '[0.5]'],
  ...['null', '{}', '""', '0', '[null,[],{},1,"a",true]', '[{"id":null,"url":1,"type":[]}]'],
]
const objects = ['null', '[]', '""', '1', '[null]', '{"a":null}', '{"":{"a":[null]}}', '{}']
const strings = ['null', '[]', '1', '""', '{}', '9223372036854775808', '"9223372036854775808"']
const flags = ['null', '"x"', '2', '[]']
const freely = [...new Set([...numbers, ...lists.slice(0, 9), ...objects])]

/** As JSON. */
export function bodyTextsFor(schema: JsonSchema): readonly string[] {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return numbers
    case 'array':
      return lists
    case 'object':
      return objects
    case 'string':
      return schema.enum ? flags : strings
    case 'boolean':
      return flags
    default:
      return freely
  }
}

/** Also digits in a text, such as the id of a message. */
function isCountable({ type, pattern }: JsonSchema): boolean {
  return type === 'integer' || type === 'number' || /\\d|0-9/.test(pattern ?? '')
}

// Where a body has fields ---------------------------------------------------------------------------

interface Field {
  readonly path: readonly string[]
  readonly schema: JsonSchema
}

const deepest = 4

/** All of them, but for what is deeper than anything that is read. An item of a list is at `0`. */
function* fieldsIn(schema: JsonSchema, path: readonly string[]): Iterable<Field> {
  if (path.length > deepest) return
  if (path.length > 0) yield { path, schema }
  for (const one of schema.anyOf ?? []) yield* fieldsIn(one, path)
  if (schema.items) yield* fieldsIn(schema.items, [...path, '0'])
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    yield* fieldsIn(property, [...path, name])
  }
}

/** Also those that are documented only, and some of what may have any name. */
function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  const free = Object.values(schema.patternProperties ?? {})[0]
  const named = ['rateLimits.core', ...Object.keys(appSettingDefaults).slice(0, 3), 'listUsers']
  return {
    ...(free && Object.fromEntries(named.map((name) => [name, free]))),
    ...schema['x-documents'],
    ...schema.properties,
  }
}

// A request that is right otherwise -----------------------------------------------------------------

/** Stands for the value until the body is text: not every value is one of JavaScript. */
const mark = 'here-is-the-value'

interface Changes {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: string
}

function requestWith(operation: Operation, known: Known, changes: Changes): WireRequest {
  const { method, path, requires, params, query, body, form } = operation
  const right = (schema: unknown) => Object(schema && rightOf(schema as JsonSchema, '', known))
  const inPath = { ...right(params), ...changes.params }
  const pairs = Object.entries({ ...right(query), ...changes.query }).map(
    ([name, value]) => `${name}=${escaped(Buffer.from(String(value)))}`,
  )
  const segments = path.replaceAll(/:(\w+)/g, (_, name) =>
    escaped(Buffer.from(String(inPath[name] ?? 'x'))),
  )
  const schema = body ?? form
  const json = changes.json ?? (schema && JSON.stringify(right(schema)))
  const bytes: Parameters<typeof asForm>[0] =
    json === undefined ? json : { bytes: Buffer.from(json) }
  const sent = form ? asForm(bytes) : bytes
  const [uid] = known.values.uid ?? []
  return {
    method,
    path: `${prefixOf(operation)}${segments}?${pairs.join('&')}`,
    headers: {
      host: requires === 'management' ? 'apimgmt.localhost' : 'localhost',
      ...credentialsFor(operation, known),
      ...(operation.onBehalfOf && uid && { onBehalfOf: uid }),
      ...(sent?.type !== undefined && { 'content-type': sent.type }),
    },
    body: sent?.bytes,
  }
}

/** As little as will do. */
function rightOf(schema: JsonSchema, name: string, known: Known): unknown {
  if (schema.enum) return schema.enum[0]
  if ('const' in schema) return schema.const
  const [first] = schema.anyOf ?? []
  if (first) return rightOf(first, name, known)
  switch (schema.type) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () =>
        rightOf(schema.items ?? {}, name, known),
      )
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((key) => [
          key,
          rightOf(propertiesOf(schema)[key] ?? {}, key, known),
        ]),
      )
    default:
      return textFor(schema, name, known)
  }
}

function textFor({ format, minLength = 1 }: JsonSchema, name: string, known: Known): string {
  const [value] = name === 'id' ? (known.values.messageId ?? []) : knownFor(name, known)
  return (
    value ?? (format === 'uri' ? 'https://example.com/a.png' : 'a'.repeat(Math.max(minLength, 1)))
  )
}

/** What the schema calls optional, and a rule does not. */
function usualOf({ body }: Operation): unknown {
  const { receiver, data } = (body as JsonSchema | undefined)?.properties ?? {}
  return {
    ...(receiver && { receiver: 'bob', receiverType: 'user' }),
    ...(data && { data: { text: 'hi' } }),
  }
}

function merged(base: unknown, more: unknown): unknown {
  if (!isRecord(base) || !isRecord(more)) return more
  const both = Object.entries(more).map(([name, value]) => [name, merged(base[name], value)])
  return { ...base, ...Object.fromEntries(both) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf?.flatMap(branchesOf) ?? [schema]
}

/** The right value of the schema, with the mark where the path leads. */
function put(schema: JsonSchema, path: readonly string[], known: Known): unknown {
  const [step, ...rest] = path
  if (step === undefined) return mark
  const within = branchesOf(schema).find(
    (one) => propertiesOf(one)[step] ?? (step === '0' ? one.items : undefined),
  )
  const inner = within && (propertiesOf(within)[step] ?? within.items)
  if (!within || !inner) throw new Error(`There is no ${step} in ${JSON.stringify(schema)}.`)
  const value = put(inner, rest, known)
  return within.items ? [value] : { ...Object(rightOf(within, '', known)), [step]: value }
}
