import { allOperations } from '@chorale/contract/api'
import type { Operation } from '@chorale/contract/operation'
import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../../testing/src/requests/bad-requests.ts'
import {
  changed,
  fullCall,
  inputParts,
  isText,
  placesIn,
} from '../../../testing/src/requests/full-calls.ts'
import {
  type LenientCall,
  leniencies,
  lenientCalls,
} from '../../../testing/src/requests/leniencies.ts'
import { read } from '../../../testing/src/requests/reading.ts'
import { parseBody } from '../http/body.ts'

const everything = [...allOperations].map(([name, operation]) => ({
  name,
  operation,
  calls: [...lenientCalls(operation)],
}))
const written = everything.filter(({ calls }) => calls.length > 0)
const withBody = everything.filter(({ operation }) => operation.body)

function named(calls: readonly LenientCall[]): readonly string[] {
  return calls.map(({ leniency, what }) => `${leniency}: ${what}`)
}

test.each(leniencies)('%s is tried in a dozen places at least', (leniency) => {
  const places = everything.flatMap(({ calls }) => calls).filter((one) => one.leniency === leniency)
  expect(places.length).toBeGreaterThanOrEqual(12)
})

test.each(everything)('$name takes a call with every field, leniently or not', ({ operation }) => {
  const call = fullCall(operation)
  const strict = read(operation, call, false)
  expect(strict).toHaveProperty('input')
  expect(read(operation, call, true)).toEqual(strict)
})

test.each(written)(
  '$name reads what is written otherwise as it is meant',
  ({ operation, calls }) => {
    const wrong = calls.filter(({ written, meant }) => {
      const wanted = read(operation, meant, false).input
      return !wanted || !isSame(read(operation, written, true).input, wanted)
    })
    expect(named(wrong)).toEqual([])
  },
)

test.each(written)('$name reads it only as it is written, where an app wants that', (one) => {
  const { operation, calls } = one
  const taken = calls.filter(({ written, meant }) => {
    const { input } = read(operation, written, false)
    return input && isSame(input, read(operation, meant, false).input)
  })
  expect(named(taken)).toEqual([])
  // A name that is not known says nothing, and an address has no other way to write one of a list.
  const refused = calls.filter(
    ({ leniency, part }) =>
      leniency !== 'another spelling of a name' && (!isText(part) || !leniency.includes('list')),
  )
  expect(named(refused.filter(({ written }) => read(operation, written, false).input))).toEqual([])
})

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

describe('a body', () => {
  const form = 'application/x-www-form-urlencoded'

  test.each(withBody)('of $name as a form, or without a type, is read as JSON', ({ operation }) => {
    const call = fullCall(operation)
    const wanted = read(operation, call, false)
    const json = Buffer.from(JSON.stringify(call.body))
    const encoded = Buffer.from(formOf(call.body))
    for (const body of [
      parseBody(json, undefined, true),
      ...(encoded.length > 0 ? [parseBody(encoded, form, true), parseBody(encoded, '', true)] : []),
    ]) {
      expect(read(operation, { ...call, body: Object(body) }, true)).toEqual(wanted)
    }
  })

  test('is JSON and says so, where an app wants that', () => {
    const json = Buffer.from('{"a":1}')
    expect(parseBody(json, 'application/json', false)).toEqual({ a: 1 })
    expect(() => parseBody(json, undefined, false)).toThrow('content-type')
    expect(() => parseBody(Buffer.from('a=1'), form, false)).toThrow('content-type')
    expect(() => parseBody(Buffer.from('[]'), 'application/json', false)).toThrow('JSON object')
  })
})

/** As PHP and Ruby write it. */
function formOf(value: object, prefix = ''): string {
  return Object.entries(value)
    .map(([name, part]) => {
      const key = prefix ? `${prefix}[${name}]` : name
      if (typeof part === 'object' && part !== null) return formOf(part, key)
      return `${encodeURIComponent(key)}=${encodeURIComponent(String(part))}`
    })
    .filter((pair) => pair !== '')
    .join('&')
}

describe('never read leniently', () => {
  const links = ['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,x', 'file:///etc/x']
  const odd = ['Infinity', '-Infinity', 'NaN', '1e999', '0x10', '12abc', '1,5', ' ']

  test.each(everything)('by $name: another scheme in a link, a number that is none', (one) => {
    const { operation } = one
    for (const { what, call } of nonsense(operation, links, odd)) {
      expect({ what, ...read(operation, call, true) }).not.toHaveProperty('input')
      expect({ what, ...read(operation, call, false) }).not.toHaveProperty('input')
    }
  })

  test('there are such fields', () => {
    const all = everything.flatMap(({ operation }) => [...nonsense(operation, links, odd)])
    expect(all.filter(({ what }) => what.includes('avatar')).length).toBeGreaterThan(8)
    expect(all.filter(({ what }) => what.includes('perPage')).length).toBeGreaterThan(100)
  })
})

function* nonsense(operation: Operation, links: readonly string[], numbers: readonly unknown[]) {
  const call = fullCall(operation)
  for (const part of inputParts) {
    // The parts of an operation are plain JSON Schema.
    const schema = operation[part] as JsonSchema | undefined
    for (const { path, schema: inner } of schema ? placesIn(schema, call[part]) : []) {
      const isNumber = inner.type === 'integer' || inner.type === 'number'
      const isLink = inner.format === 'uri' && inner.pattern !== undefined
      for (const value of isNumber ? numbers : isLink ? links : []) {
        const what = `${[part, ...path].join('.')} = ${value}`
        yield { what, call: { ...call, [part]: changed(call[part], path, { value }) } }
      }
    }
  }
}
