import { expect, test } from 'vitest'
import type { ErrorText } from './errors/text.ts'
import { errorGroups, errors } from './errors.ts'

const all = Object.entries<ErrorText>(errors)

test.each(all)('%s says what is wrong, and what to do about it', (_, { message, fix }) => {
  expect(fix).not.toBe(message)
  // A fix that is a value alone is a sentence of whoever refuses.
  for (const text of [message, fix])
    expect(text).toMatch(/^(\{what\}|[A-Z"d].*(\.|\{objection\}))$/s)
  expect(`${message} ${fix}`).not.toMatch(/undefined|null|\s\s/)
})

test('each code is in one group', () => {
  const inGroups = Object.values(errorGroups).flatMap((group) => Object.keys(group))
  expect(inGroups.sort()).toEqual(Object.keys(errors).sort())
})
