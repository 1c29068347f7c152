import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxJsonBytes } from './json.ts'

test('No JSON value has more bytes as text than was said', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(maxJsonBytes(value)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)))
    }),
  )
})

test('Text of escapes alone has as many bytes as was said', () => {
  const value = { ['\u0000'.repeat(10)]: '\u0001'.repeat(1000) }
  expect(maxJsonBytes(value)).toBeLessThan(Buffer.byteLength(JSON.stringify(value)) + 10)
  expect(maxJsonBytes(value)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)))
})
