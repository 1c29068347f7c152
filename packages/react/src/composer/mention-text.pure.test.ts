import { expect, test } from 'vitest'
import { marked, matching, queryAt, typedFrom, withMention } from './mention-text.ts'

const ann = { uid: 'ann', name: 'Ann' }
const annLee = { uid: 'ann-lee', name: 'Ann Lee' }

test.each([
  ['@', 1, { at: 0, words: '' }],
  ['hi @an', 6, { at: 3, words: 'an' }],
  ['hi @ann le', 10, { at: 3, words: 'ann le' }],
  ['hi @an and more', 6, { at: 3, words: 'an' }],
  ['mail@example', 12, undefined],
  ['hi @an', 3, undefined],
])('in %j at %i somebody asks for %j', (text, cursor, expected) => {
  expect(queryAt(text, cursor)).toEqual(expected)
})

test('people are found by the beginning of a name, of a later word, or of the uid', () => {
  const people = [ann, annLee, { uid: 'x1', name: 'Zoë' }]
  expect(matching(people, 'ann')).toEqual([ann, annLee])
  expect(matching(people, 'LE')).toEqual([annLee])
  expect(matching(people, 'x')).toEqual([people[2]])
})

test('a name takes the place of what was typed, and is sent as a mark', () => {
  const typed = withMention('hi @an, tea?', 6, { at: 3, words: 'an' }, 'Ann Lee')
  expect(typed).toEqual({ text: 'hi @Ann Lee , tea?', cursor: 12 })
  expect(marked('@Ann and @Ann Lee', [ann, annLee])).toBe('<@uid:ann> and <@uid:ann-lee>')
})

test('a text that is edited shows names', () => {
  const user = {
    uid: 'ann',
    name: 'Ann',
    role: 'default',
    status: 'offline',
    createdAt: 1,
  } as const
  const { text, mentioned } = typedFrom({ text: 'hi <@uid:ann>', mentions: { ann: user } })
  expect(marked(text, mentioned)).toBe('hi <@uid:ann>')
  expect(text).toBe('hi @Ann')
})
