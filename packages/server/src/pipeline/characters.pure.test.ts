import fc from 'fast-check'
import { expect, test } from 'vitest'
import { characters } from './characters.ts'

test('Characters are counted, not units of UTF-16', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(characters(text)).toBe(Array.from(text).length)
    }),
  )
})
