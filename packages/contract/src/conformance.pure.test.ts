import { describe, expect, test } from 'vitest'
import { readFacts } from '../conformance/facts.ts'
import { compare, type Facts, type Finding, type OperationFact } from './conformance.ts'
import type { Shape, Shapes } from './conformance-notation.ts'
import { expectedShape } from './conformance-notation.ts'
import { openapi } from './openapi.ts'

describe('our document', () => {
  test('keeps every fact of the interface that is not planned', () => {
    expect(compare(readFacts(), openapi('0.0.0')).map(line)).toEqual([])
  })
})

describe('the facts', () => {
  const { files, shapes } = readFacts()
  const operations = files.flatMap((file) => file.operations)

  test('name each operation once', () => {
    const names = operations.map(({ operation }) => operation)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names.filter((name) => !/^(GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(name))).toEqual([])
  })

  test('can all be read', () => {
    for (const { header, query, body, form, response } of operations) {
      for (const shape of [header, query, body, form, response]) {
        if (shape !== undefined) expectedShape(shape, shapes)
      }
    }
  })

  test('use every shape', () => {
    const text = JSON.stringify([files, shapes])
    expect(Object.keys(shapes).filter((name) => !text.includes(`"@${name}"`))).toEqual([])
  })
})

describe('a document that keeps the facts', () => {
  const fact: OperationFact = {
    operation: 'PUT /roles/{role}',
    header: { onBehalfOf: 'string' },
    query: { perPage: 'integer = 100 >= 1 <= 1000', 'kind!': 'string {a|b}', tags: ['string'] },
    body: { 'name!': 'string', settings: { listUsers: 'string {all|friendsOnly} = all' } },
    response: {
      data: [{ uid: 'string', 'tags?': ['string'], seen: { '<uid>': 'boolean' } }],
      meta: '@limit',
    },
  }
  const shapes = { limit: { current: { limit: 'integer' } } }

  test('is found to be without fault', () => {
    expect(findings(fact, operation(), shapes)).toEqual([])
  })

  test.each<[string, (ours: Operation) => void]>([
    ['parameter query perPage: is missing', (ours) => ours.parameters.splice(1, 1)],
    [
      'type query perPage: is string, not integer',
      (ours) => {
        ours.parameters[1] = { name: 'perPage', in: 'query', schema: { type: 'string' } }
      },
    ],
    ['default query perPage: has not the default 100', (ours) => delete perPage(ours).default],
    ['range query perPage: has not the minimum 1', (ours) => delete perPage(ours).minimum],
    ['range query perPage: has not the maximum 1000', (ours) => delete perPage(ours).maximum],
    [
      'required query kind: is optional, the fact is required',
      (ours) => {
        Object.assign(ours.parameters[2] ?? {}, { required: false })
      },
    ],
    [
      'enum query kind: does not list b',
      (ours) => {
        Object.assign(ours.parameters[2] ?? {}, { schema: { type: 'string', enum: ['a', 'c'] } })
      },
    ],
    [
      'enum query kind: does not list a, b',
      (ours) => {
        Object.assign(ours.parameters[2] ?? {}, { schema: { type: 'string' } })
      },
    ],
    [
      'required query more: is required, though no fact names it',
      (ours) => {
        ours.parameters.push({ name: 'more', in: 'query', required: true, schema: {} })
      },
    ],
    [
      'field body settings.listUsers: is missing',
      (ours) => {
        ours.body.properties.settings = { type: 'object', properties: {} }
      },
    ],
    [
      'type body settings: is of no type, not object',
      (ours) => {
        ours.body.properties.settings = {}
      },
    ],
    ['required body name: is optional, the fact is required', (ours) => ours.body.required.pop()],
    [
      'required body settings: is required, the fact is optional',
      (ours) => {
        ours.body.required.push('settings')
      },
    ],
    [
      'required body more: is required, though no fact names it',
      (ours) => {
        ours.body.required.push('more')
      },
    ],
    ['field response data[].uid: is missing', (ours) => delete ours.row.properties.uid],
    [
      'type response data[].uid: is integer, not string',
      (ours) => {
        ours.row.properties.uid = { type: 'integer' }
      },
    ],
    [
      'type response data[].uid: is string | null, not string',
      (ours) => {
        ours.row.properties.uid = { type: ['string', 'null'] }
      },
    ],
    [
      'type response data[].tags[]: is integer, not string',
      (ours) => {
        ours.row.properties.tags = { type: 'array', items: { type: 'integer' } }
      },
    ],
    [
      'field response data[].seen.<key>: takes no variable keys',
      (ours) => {
        ours.row.properties.seen = { type: 'object', properties: {} }
      },
    ],
    [
      'type response data[].seen.<key>: is string, not boolean',
      (ours) => {
        ours.row.properties.seen = { type: 'object', additionalProperties: { type: 'string' } }
      },
    ],
  ])('but not if: %s', (expected, spoil) => {
    const ours = operation()
    spoil(ours)
    expect(findings(fact, ours, shapes)).toEqual([`PUT /roles/{role}: ${expected}`])
  })
})

describe('an operation', () => {
  const fact: OperationFact = { operation: 'GET /threads', deprecated: true }

  test('may be missing only while it is planned', () => {
    expect(lines([fact], [], {})).toEqual(['GET /threads: operation paths: is missing'])
    expect(lines([fact], ['GET /threads'], {})).toEqual([])
  })

  test('may be planned only while it is missing and known', () => {
    const paths = { '/threads': { get: { deprecated: true } } }
    expect(lines([fact], ['GET /threads'], paths)).toEqual([
      'GET /threads: planned planned: exists: take it off the planned list',
    ])
    expect(lines([], ['GET /threads'], {})).toEqual([
      'GET /threads: planned planned: is planned, but no fact names it',
    ])
  })

  test('is marked as deprecated where it is', () => {
    expect(lines([fact], [], { '/threads': { get: {} } })).toEqual([
      'GET /threads: deprecated deprecated: is not marked as deprecated',
    ])
  })
})

describe('a body', () => {
  const text = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } }
  const file = { type: 'object', required: ['file'], properties: { file: { type: 'string' } } }

  test.each<[string, Shape, object, string[]]>([
    [
      'is read through references and allOf',
      { 'text!': 'string', file: 'string' },
      {
        allOf: [
          { $ref: '#/components/schemas/Text' },
          { properties: { file: { type: 'string' } } },
        ],
      },
      [],
    ],
    [
      'is read through anyOf',
      { oneOf: [{ 'text!': 'string' }, { 'file!': 'string' }] },
      {
        anyOf: [text, file],
      },
      [],
    ],
    [
      'keeps the values of all alternatives',
      { oneOf: [{ a: 'string {x}' }, { a: 'string {y}' }] },
      {
        type: 'object',
        properties: { a: { anyOf: [{ const: 'x' }, { const: 'z' }] } },
      },
      ['enum body a: does not list y'],
    ],
    [
      'may accept more types than the facts',
      { a: 'string' },
      {
        type: 'object',
        properties: { a: { type: ['string', 'null'] } },
      },
      [],
    ],
    [
      'must accept every type of the facts',
      { a: 'string | string[]' },
      {
        type: 'object',
        properties: { a: { type: 'string' } },
      },
      ['type body a: is string, not string | array'],
    ],
    [
      'may take a whole number where the facts say number',
      { a: 'number' },
      {
        type: 'object',
        properties: { a: { type: 'integer' } },
      },
      [],
    ],
    [
      'may require what the facts require with a default',
      { 'a!': 'string = x' },
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'string' } },
      },
      [],
    ],
    [
      'may have the default of what the facts require',
      { 'a!': 'string = x' },
      {
        type: 'object',
        properties: { a: { type: 'string', default: 'x' } },
      },
      [],
    ],
    [
      'must do one of the two',
      { 'a!': 'string = x' },
      {
        type: 'object',
        properties: { a: { type: 'string' } },
      },
      ['default body a: has not the default x'],
    ],
    [
      'may take a map where the facts name keys',
      { a: 'boolean' },
      {
        type: 'object',
        patternProperties: { '^.*$': { type: ['boolean', 'string'] } },
      },
      [],
    ],
  ])('%s', (_, body, schema, expected) => {
    const content = { 'application/json': { schema } }
    const paths = { '/x': { post: { requestBody: { content } } } }
    const found = lines([{ operation: 'POST /x', body }], [], paths, { Text: text })
    expect(found).toEqual(expected.map((message) => `POST /x: ${message}`))
  })

  test('of another kind is missing', () => {
    const content = { 'application/json': { schema: file } }
    const paths = { '/x': { post: { requestBody: { content } } } }
    expect(lines([{ operation: 'POST /x', form: { 'file!': 'string' } }], [], paths)).toEqual([
      'POST /x: field body: has no multipart/form-data body',
    ])
  })
})

interface Json {
  [key: string]: unknown
}

/** Our side of the fact above, written as its own opposite in style: unions, references. */
function operation() {
  const parameters: Json[] = [
    { name: 'role', in: 'path', required: true, schema: { type: 'string' } },
    {
      name: 'perPage',
      in: 'query',
      schema: { type: 'integer', default: 100, minimum: 1, maximum: 1000 },
    },
    { name: 'kind', in: 'query', required: true, schema: { enum: ['a', 'b', 'c'] } },
    { name: 'tags[]', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
    { name: 'onbehalfof', in: 'header', schema: { type: 'string' } },
    { name: 'apikey', in: 'header', required: true, schema: { type: 'string' } },
  ]
  const listUsers = { anyOf: [{ const: 'all' }, { const: 'friendsOnly' }], default: 'all' }
  const properties: Json = {
    name: { type: 'string' },
    settings: { type: 'object', properties: { listUsers } },
  }
  const rowProperties: Json = {
    uid: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
    seen: { type: 'object', patternProperties: { '^.*$': { type: 'boolean' } } },
    more: { type: 'string' },
  }
  const body = { type: 'object', required: ['name'], properties }
  const row = { type: 'object', required: ['uid'], properties: rowProperties }
  return { parameters, body, row }
}

type Operation = ReturnType<typeof operation>

function perPage(ours: Operation): Json {
  return ours.parameters[1]?.schema as Json
}

function findings(fact: OperationFact, ours: Operation, shapes: Shapes): string[] {
  const limit = { type: 'object', properties: { limit: { type: 'integer' } } }
  const answer = {
    type: 'object',
    properties: {
      data: { type: 'array', items: { $ref: '#/components/schemas/Row' } },
      meta: { type: 'object', properties: { current: limit } },
    },
  }
  const put = {
    parameters: ours.parameters,
    requestBody: { content: { 'application/json': { schema: ours.body } } },
    responses: { 200: { content: { 'application/json': { schema: answer } } } },
  }
  return lines([fact], [], { '/roles/{role}': { put } }, { Row: ours.row }, shapes)
}

function lines(
  operations: readonly OperationFact[],
  planned: readonly string[],
  paths: object,
  schemas: object = {},
  shapes: Shapes = {},
): string[] {
  const facts: Facts = { files: [{ tag: 'Test', api: 'chat', operations }], shapes, planned }
  return compare(facts, { paths, components: { schemas } }).map(line)
}

function line({ operation, kind, at, message }: Finding): string {
  return `${operation}: ${kind} ${at}: ${message}`
}
