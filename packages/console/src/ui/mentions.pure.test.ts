import { expect, test } from 'vitest'
import { textWithNames } from './mentions.ts'

test.each([
  [
    { text: 'hi <@uid:Ann>, <@uid:bob>!', mentions: { ann: { name: 'Ann Lee' } } },
    'hi @Ann Lee, @bob!',
  ],
  [{ text: 'hi <@uid:ann>' }, 'hi @ann'],
  [{ text: 'hi <@all> <@uid:>' }, 'hi <@all> <@uid:>'],
  [{ text: '' }, undefined],
  [{ text: 7 }, undefined],
  [undefined, undefined],
])('%j is shown as %s', (data, shown) => {
  expect(textWithNames(data)).toBe(shown)
})
