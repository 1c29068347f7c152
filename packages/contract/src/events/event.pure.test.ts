import { expect, test } from 'vitest'
import { allOperations } from '../api.ts'
import { Event } from './event.ts'

const storageNames = ['bucket', 'seq', 'parentSeq', 'conversationKey']

/** Properties of a schema, however deep, that name how something is stored. */
function storageProperties(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, item]) => {
    const isKey = name === 'key' && Object(item).type === 'integer'
    if (path.endsWith('/properties') && (isKey || storageNames.includes(name))) {
      return [`${path}/${name}`]
    }
    return storageProperties(item, `${path}/${name}`)
  })
}

test.each([...allOperations])('the answer of %s shows no storage key', (_, { response }) => {
  expect(storageProperties(response)).toEqual([])
})

test('a storage key deep inside a schema is found', () => {
  const inner = { anyOf: [{ properties: { key: { type: 'integer' }, seq: {} } }] }
  const schema = { properties: { key: { type: 'string' }, data: { items: inner } } }
  const path = '/properties/data/items/anyOf/0/properties'
  expect(storageProperties(schema)).toEqual([`${path}/key`, `${path}/seq`])
})

test('each type of event is described once', () => {
  const types = Event.anyOf.map(({ properties }) => properties.type.const)
  expect(new Set(types).size).toBe(types.length)
  for (const schema of Event.anyOf) expect(Object(schema).description).toMatch(/^[A-Z].*\.$/)
})
