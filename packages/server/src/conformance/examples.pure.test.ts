import { allOperations } from '@chorale/contract/api'
import type { Example } from '@chorale/contract/examples'
import { openapi } from '@chorale/contract/openapi'
import type { Operation } from '@chorale/contract/operation'
import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { readExamples } from '../http/examples.ts'
import { lazyValidationOf } from '../pipeline/validation.ts'

const examples = readExamples()
const operations = Object.values(openapi('0.0.0', examples).paths).flatMap((path) =>
  Object.values(path),
)

describe('the API reference', () => {
  test('has a name, a description, a request and an answer for every operation', () => {
    const names = [...allOperations.keys()].toSorted()
    const complete = operations.filter(isComplete).map(({ operationId }) => String(operationId))
    expect(complete.toSorted()).toEqual(names)
    expect([...examples.keys()].toSorted()).toEqual(names)
  })

  test.each([...allOperations])(
    'shows a request and an answer of %s that fit',
    (name, operation) => {
      const example = examples.get(name)
      expect(example && objectionTo(operation, example)).toBeUndefined()
    },
  )

  test('shows no secret that is one', () => {
    const texts = [...examples.values()].flatMap((example) => textsIn(example))
    expect(texts.filter(isSecret)).toEqual([])
  })

  test('finds an example that does not fit, and a secret', () => {
    const addFriends = allOperations.get('addFriends')
    const example = examples.get('addFriends')
    if (!addFriends || !example) throw new Error('It was there a moment ago.')
    const { request, answer } = example
    const wrong = { request: { ...request, body: { accepted: 'ben' } }, answer }
    expect(() => objectionTo(addFriends, wrong)).toThrow()
    expect(objectionTo(addFriends, { request, answer: { data: {} } })).toMatch(/accepted/)
    expect(isSecret('anna_17672688009f3b61c0e2d84a7f5b1c93d20e68a4f71b5cd039')).toBe(true)
  })
})

interface Described {
  readonly operationId?: unknown
  readonly description?: unknown
  readonly parameters?: readonly { readonly in: string; readonly example?: unknown }[]
  readonly requestBody?: Content
  readonly responses?: { readonly 200?: Content }
}
interface Content {
  readonly content: Readonly<Record<string, { readonly example?: unknown }>>
}

/** What a request needs is shown: its path, and its body where it has one. */
function isComplete({ description, parameters = [], requestBody, responses }: Described): boolean {
  const sentences = String(description ?? '').match(/\.(?:\s|$)/g) ?? []
  const shows = (part: Content | undefined) =>
    part !== undefined && Object.values(part.content).every((one) => one.example !== undefined)
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  return (
    sentences.length > 1 &&
    inPath.every(({ example }) => example !== undefined) &&
    (requestBody === undefined || shows(requestBody)) &&
    shows(responses?.[200])
  )
}

/** By the code that refuses wrong requests; it throws where the request is wrong. */
function objectionTo(operation: Operation, { request, answer }: Example): string | undefined {
  const { params = {}, query = {}, headers = {}, body, form } = structuredClone(request)
  const inLowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  lazyValidationOf(operation).input({
    params,
    query,
    headers: Object.fromEntries(inLowerCase),
    body: body === undefined ? undefined : () => structuredClone(body),
    form,
    lenient: false,
  })
  // As `lazyValidationOf` does it, without a second for each hundred schemas to be compiled.
  const [error] = Value.Errors(operation.response, answer)
  return error && `${error.instancePath} ${error.message}`
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) => [name, ...textsIn(one)])
}

/** What stands for keys, tokens and secrets counts up or down. */
const placeholder =
  /(?:0123456789abcdef|fedcba9876543210|89abcdef01234567|abcdef0123456789)[0-9a-f]+|whsec_(?:MDEyMzQ1Njc4|OTg3NjU0MzIx)\w+|0190a6e4-7e1b-7000-8000-\d{12}/g

/** Long, and of digits and letters that say nothing. */
function isSecret(text: string): boolean {
  const rest = text.replaceAll(placeholder, '')
  return /[0-9a-f]{20}|(?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])\w{24}/.test(rest)
}
