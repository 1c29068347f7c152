import { expect, test } from 'vitest'
import { base32, codeAt, matchingStep, stepOf } from './totp.ts'

const secret = Buffer.from('12345678901234567890')

// The last six digits of the values in appendix B of RFC 6238.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at %i is that of RFC 6238', (at, code) => {
  expect(codeAt(secret, stepOf(at))).toBe(code)
})

test('base32 is that of RFC 4648', () => {
  expect(
    ['f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text))),
  ).toEqual([...['MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI']])
})

test('a code is good half a minute too early and too late, and never behind one that was used', () => {
  const now = 1_234_567_890
  const step = stepOf(now)
  const matches = [-2, -1, 0, 1, 2].map((by) =>
    matchingStep(secret, codeAt(secret, step + by), now, 0),
  )
  expect(matches).toEqual([undefined, step - 1, step, step + 1, undefined])
  expect(matchingStep(secret, codeAt(secret, step), now, step)).toBeUndefined()
  expect(matchingStep(secret, '12345', now, 0)).toBeUndefined()
})
