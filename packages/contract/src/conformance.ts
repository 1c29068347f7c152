/**
 * Compares our OpenAPI document with the facts of the interface in `conformance/*.json`.
 * The notation of the facts is described in `conformance/README.md`.
 */
import {
  type Expected,
  type ExpectedField,
  expectedShape,
  type Shape,
  type Shapes,
} from './conformance-notation.ts'
import { isSchema, type Schema, type SchemaReader, schemaReader } from './conformance-schema.ts'

/** One operation as the hosted service has it. */
export interface OperationFact {
  /** Method and path, for instance `GET /users/{uid}`. */
  readonly operation: string
  readonly deprecated?: boolean
  /** Set where no published page shows the shapes. */
  readonly inferred?: boolean
  readonly auth?: 'basic'
  readonly header?: Readonly<Record<string, Shape>>
  readonly query?: Readonly<Record<string, Shape>>
  /** A JSON body. */
  readonly body?: Shape
  /** A multipart body. */
  readonly form?: Shape
  readonly response?: Shape
  /** Where we do otherwise than the published page, and why. */
  readonly differences?: readonly string[]
}

interface FactFile {
  readonly tag: string
  readonly api: 'chat' | 'management' | 'calls'
  readonly operations: readonly OperationFact[]
}

export interface Facts {
  readonly files: readonly FactFile[]
  readonly shapes: Shapes
  /** Operations we do not have yet, as method and path. */
  readonly planned: readonly string[]
}

export interface Finding {
  readonly operation: string
  readonly kind: Kind
  /** For instance `query perPage` or `response data[].tags[]`. */
  readonly at: string
  readonly message: string
}

type Kind =
  | 'operation'
  | 'planned'
  | 'parameter'
  | 'field'
  | 'type'
  | 'required'
  | 'enum'
  | 'default'
  | 'range'
  | 'deprecated'

type Report = (kind: Kind, at: string, message: string) => void

/** What of a document is read; a wider type fits. */
interface Document {
  readonly paths: object
  readonly components?: object
}

interface Comparison {
  readonly reader: SchemaReader
  readonly report: Report
  /** A client sends requests: we must accept at least the facts. It reads answers: at most. */
  readonly direction: 'request' | 'response'
  /** Below a map, which declares one type for all its keys and so may be wider than one key's. */
  readonly inMap?: boolean
}

/** Everything in which the document falls short of the facts. Operations beyond them are welcome. */
export function compare(facts: Facts, document: Document): Finding[] {
  const findings: Finding[] = []
  const reader = schemaReader(document)
  const known = facts.files.flatMap((file) => file.operations)
  const names = new Set(known.map((fact) => fact.operation))
  for (const name of facts.planned) {
    if (!names.has(name)) findings.push(planned(name, 'is planned, but no fact names it'))
  }
  for (const fact of known) {
    const ours = findOperation(fact.operation, document, reader)
    const isPlanned = facts.planned.includes(fact.operation)
    const report: Report = (kind, at, message) => {
      findings.push({ operation: fact.operation, kind, at, message })
    }
    if (ours === undefined) {
      if (!isPlanned) report('operation', 'paths', 'is missing')
    } else if (isPlanned) {
      findings.push(planned(fact.operation, 'exists: take it off the planned list'))
    } else {
      compareOperation(fact, ours, facts.shapes, { reader, report })
    }
  }
  return findings
}

function planned(operation: string, message: string): Finding {
  return { operation, kind: 'planned', at: 'planned', message }
}

function findOperation(name: string, document: Document, reader: SchemaReader) {
  const [method = '', path = ''] = name.split(' ')
  const item = reader.child(document.paths, path)
  const operation = reader.child(item, method.toLowerCase())
  if (!isSchema(operation)) return undefined
  const parameters = [reader.child(item, 'parameters'), operation.parameters]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .map((parameter) => reader.resolve(parameter))
  return { operation, parameters }
}

type Ours = NonNullable<ReturnType<typeof findOperation>>

function compareOperation(
  fact: OperationFact,
  ours: Ours,
  shapes: Shapes,
  { reader, report }: Omit<Comparison, 'direction'>,
): void {
  const request: Comparison = { reader, report, direction: 'request' }
  const { operation } = ours
  if (fact.deprecated && operation.deprecated !== true) {
    report('deprecated', 'deprecated', 'is not marked as deprecated')
  }
  compareParameters(fact, ours, shapes, request)

  for (const [shape, type] of [
    [fact.body, 'application/json'],
    [fact.form, 'multipart/form-data'],
  ] as const) {
    if (shape === undefined) continue
    const schema = contentOf(reader.child(operation, 'requestBody'), type, reader)
    if (schema === undefined) report('field', 'body', `has no ${type} body`)
    else compareShape('body', '', expectedShape(shape, shapes), [schema], request)
  }
  if (fact.response !== undefined) {
    const answer = reader.child(reader.child(operation, 'responses'), '200')
    const schema = contentOf(answer, 'application/json', reader)
    const response: Comparison = { reader, report, direction: 'response' }
    if (schema === undefined) report('field', 'response', 'has no 200 answer in JSON')
    else compareShape('response', '', expectedShape(fact.response, shapes), [schema], response)
  }
}

function contentOf(holder: unknown, type: string, reader: SchemaReader): Schema | undefined {
  const schema = reader.child(reader.child(reader.child(holder, 'content'), type), 'schema')
  return isSchema(schema) ? schema : undefined
}

/** Credentials: in OpenAPI they are security schemes, and the facts name them nowhere. */
const credentials = new Set(['apikey', 'appid', 'key', 'secret', 'authtoken', 'authorization'])

function compareParameters(
  fact: OperationFact,
  ours: Ours,
  shapes: Shapes,
  comparison: Comparison,
): void {
  const inPath = [...fact.operation.matchAll(/\{(\w+)\}/g)].map(([, name]) => [
    `${name}!`,
    'string',
  ])
  const places = { path: Object.fromEntries(inPath), query: fact.query, header: fact.header }
  const known = new Set<unknown>()
  for (const [place, shape] of Object.entries(places)) {
    for (const [name, field] of expectedShape(shape ?? {}, shapes).fields) {
      const at = `${place} ${name}`
      const found = ours.parameters.find((one) => one.in === place && sameName(one.name, name))
      if (found === undefined) {
        comparison.report('parameter', at, 'is missing')
        continue
      }
      known.add(found)
      compareRequired(at, field.required, found.required === true, comparison)
      compareShape(at, '', field.shape, isSchema(found.schema) ? [found.schema] : [], comparison)
    }
  }
  for (const extra of ours.parameters) {
    const name = String(extra.name)
    if (extra.required !== true || known.has(extra) || credentials.has(name.toLowerCase())) continue
    comparison.report('required', `${extra.in} ${name}`, 'is required, though no fact names it')
  }
}

/** Header names ignore case, and a list may be spelled `tags[]`; neither changes what is meant. */
function sameName(ours: unknown, name: string): boolean {
  const plain = String(ours).replace(/\[\]$/, '')
  return plain === name || (name === 'onBehalfOf' && plain.toLowerCase() === name.toLowerCase())
}

function compareRequired(
  at: string,
  expected: boolean | undefined,
  ours: boolean,
  { report }: Comparison,
): void {
  if (expected === undefined || expected === ours) return
  report(
    'required',
    at,
    ours ? 'is required, the fact is optional' : 'is optional, the fact is required',
  )
}

/** Some facts are required and have a default at once; then either of the two will do. */
function demandOf({ shape, required }: ExpectedField, ours: boolean) {
  if (!required || shape.byDefault === undefined) return { shape, demanded: required }
  const { byDefault: _, ...rest } = shape
  return ours ? { shape: rest, demanded: true } : { shape, demanded: undefined }
}

/** `place` and `path` only name what is compared; `schemas` are the alternatives we have for it. */
function compareShape(
  place: string,
  path: string,
  expected: Expected,
  schemas: readonly Schema[],
  comparison: Comparison,
): void {
  const at = path === '' ? place : `${place} ${path}`
  const branches = schemas.flatMap((schema) => comparison.reader.branches(schema))
  if (!compareTypes(at, expected, branches, comparison)) return
  compareValues(at, expected, branches, comparison)
  compareFields(place, path, expected, branches, comparison)
  if (expected.items) {
    const items = branches.flatMap((branch) => (isSchema(branch.items) ? [branch.items] : []))
    compareShape(place, `${path}[]`, expected.items, items, comparison)
  }
}

function compareTypes(
  at: string,
  expected: Expected,
  branches: readonly Schema[],
  { reader, report, direction, inMap }: Comparison,
): boolean {
  if (expected.types.includes('any')) return true
  const ours = [...new Set(branches.flatMap((branch) => reader.typesOf(branch)))]
  const holds = (types: readonly string[], type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const fits =
    direction === 'request' || inMap
      ? expected.types.every(
          (type) => ours.includes(type) || (type === 'number' && ours.includes('integer')),
        )
      : ours.length > 0 && ours.every((type) => holds(expected.types, type))
  if (fits) return true
  report('type', at, `is ${ours.join(' | ') || 'of no type'}, not ${expected.types.join(' | ')}`)
  return false
}

function compareValues(
  at: string,
  expected: Expected,
  branches: readonly Schema[],
  { reader, report, direction }: Comparison,
): void {
  if (expected.values) {
    const ours = branches.map((branch) => reader.valuesOf(branch))
    const missing = expected.values.filter((value) => !ours.some((list) => list?.includes(value)))
    if (missing.length > 0) report('enum', at, `does not list ${missing.join(', ')}`)
  }
  // In an answer a default or a range binds nobody.
  if (direction === 'response') return
  const has = (keyword: string, value: unknown) =>
    branches.some((branch) => branch[keyword] === value)
  const { byDefault, minimum, maximum } = expected
  if (byDefault !== undefined && !has('default', byDefault)) {
    report('default', at, `has not the default ${byDefault}`)
  }
  if (minimum !== undefined && !has('minimum', minimum)) {
    report('range', at, `has not the minimum ${minimum}`)
  }
  if (maximum !== undefined && !has('maximum', maximum)) {
    report('range', at, `has not the maximum ${maximum}`)
  }
}

function compareFields(
  place: string,
  path: string,
  expected: Expected,
  branches: readonly Schema[],
  comparison: Comparison,
): void {
  const { reader, report, direction } = comparison
  const objects = branches.filter((branch) => reader.typesOf(branch).includes('object'))
  const below = (name: string) => (path === '' ? name : `${path}.${name}`)
  const required = reader.requiredIn(objects)
  for (const [name, field] of expected.fields) {
    const at = `${place} ${below(name)}`
    const named = reader.named(objects, name)
    const found = named.length > 0 ? named : reader.unnamed(objects)
    if (found.length === 0) {
      report('field', at, 'is missing')
      continue
    }
    const { shape, demanded } = demandOf(field, required.has(name))
    if (direction === 'request') compareRequired(at, demanded, required.has(name), comparison)
    const inMap = comparison.inMap === true || named.length === 0
    compareShape(place, below(name), shape, found, { ...comparison, inMap })
  }
  if (expected.entries) {
    const found = reader.unnamed(objects)
    if (found.length === 0) report('field', `${place} ${below('<key>')}`, 'takes no variable keys')
    else compareShape(place, below('<key>'), expected.entries, found, comparison)
  }
  if (direction === 'response' || expected.fields.size === 0) return
  for (const name of required) {
    if (expected.fields.has(name)) continue
    report('required', `${place} ${below(name)}`, 'is required, though no fact names it')
  }
}
