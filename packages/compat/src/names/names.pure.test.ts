import { expect, test } from 'vitest'
import * as members from '../cometchat.ts'
import { differences, missingMembers } from './differences.ts'
import { allNames } from './names.ts'

const names = allNames()
const throwing = names.filter(({ status, note }) => status === 'missing' && note === 'throws')

/** A member of `CometChat`, or a method of a builder of it. */
function callOf(name: string): () => unknown {
  const [owner = '', method] = name.split('.')
  const { [owner]: found } = members as unknown as Readonly<Record<string, unknown>>
  if (method === undefined) return found as () => unknown
  const builder = new (found as new () => Record<string, () => unknown>)()
  return () => builder[method]?.()
}

test.each(throwing.map(({ name }) => name))('%s throws with its name and a link', (name) => {
  expect(callOf(name)).toThrow(new RegExp(`${name} is not available .*https://`))
})

test('what differs and what is missing are names that there are', () => {
  const known = names.map(({ name }) => name)
  expect(
    [...Object.keys(differences), ...missingMembers].filter((name) => !known.includes(name)),
  ).toEqual([])
  expect(known.length).toBe(new Set(known).size)
})
