import { allOperations } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { bodyTextsFor } from '../../../testing/src/requests/bad-fields.ts'
import type { JsonSchema } from '../../../testing/src/requests/bad-requests.ts'
import {
  changed,
  fullCall,
  inputParts,
  isText,
  placesIn,
} from '../../../testing/src/requests/full-calls.ts'
import { read } from '../../../testing/src/requests/reading.ts'
import { parseBody } from '../http/body.ts'
import { Failure } from './failure.ts'
import { readerOf, validationOf } from './validation.ts'

const inAddresses = ['', ' ', 'x', '-1', '0.5', 'Infinity', '\u0001', 'a@b', 'a'.repeat(9000)]
const anywhere = ['"\\u0001"', '"a b"', `"${'a'.repeat(70_000)}"`, 'true', '-1', '[[]]', '{}']

/** Every refusal of a value that a field should not have. */
function* refusals(operation: Operation) {
  const call = fullCall(operation)
  for (const part of inputParts) {
    // The parts of an operation are plain JSON Schema.
    const schema = operation[part] as JsonSchema | undefined
    for (const { path, schema: inner } of schema ? placesIn(schema, call[part]) : []) {
      const texts = [...bodyTextsFor(inner), ...anywhere]
      const values = isText(part) ? inAddresses : texts.map((text) => JSON.parse(text))
      for (const change of [...values.map((value) => ({ value })), undefined]) {
        const written = { ...call, [part]: changed(call[part], path, change) }
        const { refused } = read(operation, written, true)
        if (refused) yield { at: [part, ...path].join('.'), refused }
      }
    }
  }
}

/** Words of the validator, of the language, and the sentences for want of better. */
const foreign = [
  ...['must NOT', 'must match', 'must be array', 'must be string', 'must be object', 'should '],
  ...['undefined', '[object', '^[', '\\d', ']+$', 'anyOf', 'to match pattern', 'schema'],
  ...['This has a form that is not allowed', 'not one of the forms', '{field}', '{objection}'],
]

test.each([...allOperations])('%s objects in whole sentences of plain words', (_, operation) => {
  const odd = new Set<string>()
  for (const { at, refused } of refusals(operation)) {
    const objections = Object.entries(refused.details ?? {})
    // What is no id at all is an id of nothing: 404, with a message of its own.
    if (objections.length === 0 && refused.status !== 404) odd.add(`${at}: no objection`)
    for (const [field, [text = '']] of objections) {
      const isOdd = foreign.some((words) => text.includes(words)) || !/^[A-Z].*[.]$/s.test(text)
      if (isOdd || field === '') odd.add(`${at}: ${field}: ${text}`)
    }
  }
  expect([...odd]).toEqual([])
})

test('where a value may be of several kinds, the one that it nearly is speaks, or all do', () => {
  const operation = allOperations.get('markUserConversationRead')
  if (!operation) throw new Error('There is no such operation.')
  const objections = (messageId: unknown) => {
    const call = { params: { uid: 'a' }, query: {}, body: { messageId }, form: {} }
    return read(operation, call, true).refused?.details
  }
  expect(objections('x')).toEqual({
    messageId: ['Use the id of a message, which has digits only (this is "x").'],
  })
  expect(objections(0)).toEqual({ messageId: ['This must be at least 1, not 0.'] })
  expect(objections(true)).toEqual({
    messageId: ['This must be a whole number or text, not true.'],
  })
})

test('lengths are those of characters, not of their units', () => {
  const names = readerOf(Type.Object({ name: Type.String({ minLength: 2, maxLength: 4 }) }))
  const refusal = (name: string) => {
    try {
      names({ name })
    } catch (error) {
      return error instanceof Failure ? error.details?.name : error
    }
    return undefined
  }
  for (const fitting of ['ab', 'abcd', '👋👋', '👋👋👋👋', 'a👋b👋']) {
    expect(refusal(fitting)).toBeUndefined()
  }
  expect(refusal('👋')).toEqual(['Use at least 2 characters.'])
  expect(refusal('👋👋👋👋👋')).toEqual(['Use at most 4 characters; these are 5.'])
  expect(refusal('abcdefghijk')).toEqual(['Use at most 4 characters; these are 11.'])
})

test('a text that is far too long is refused for little more than it takes to parse it', () => {
  const operation = allOperations.get('createUser')
  if (!operation) throw new Error('There is no such operation.')
  const bytes = Buffer.from(JSON.stringify({ uid: 'u', name: 'n'.repeat(1_000_000) }))
  const parse = () => parseBody(bytes, 'application/json', true)
  const { input } = validationOf(operation)
  const call = { params: {}, query: {}, body: parse, bytes: bytes.length, lenient: true }
  const refuse = () => expect(() => input(call)).toThrow(Failure)
  const msOf = (work: () => unknown) => {
    const start = performance.now()
    work()
    return performance.now() - start
  }
  // The least of many, in turns: whatever else the machine does only adds.
  const least = { refuse: Infinity, parse: Infinity }
  const isCheap = () => least.refuse < 12 * least.parse
  for (let round = 0; round < 20 || (round < 200 && !isCheap()); round++) {
    least.refuse = Math.min(least.refuse, msOf(refuse))
    least.parse = Math.min(least.parse, msOf(parse))
  }
  expect(least.refuse).toBeLessThan(12 * least.parse)
})
