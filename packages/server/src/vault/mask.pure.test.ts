import { expect, test } from 'vitest'
import { mask, withoutSecrets } from './mask.ts'

const kept = (value: unknown) => JSON.parse(withoutSecrets(value))

test('M8: of a secret below 24 characters nothing is shown, of a longer one its end', () => {
  expect(mask('hunter2hunter')).toBe('********')
  expect(mask('a'.repeat(23))).toBe('********')
  expect(mask(`${'b'.repeat(20)}last`)).toBe('********last')
  expect(mask('\u{1f511}'.repeat(24))).toBe(`********${'\u{1f511}'.repeat(4)}`)
})

test('M8: a password is hidden whatever its field is called', () => {
  const long = 'x'.repeat(50)
  expect(kept({ password: long, basicAuthPassword: 'short', deep: [{ password: '' }] })).toEqual({
    password: '********',
    basicAuthPassword: '********',
    deep: [{ password: '********' }],
  })
})

test('M8: of an uploaded file there is its size and a digest', () => {
  const csv = `${'word\n'.repeat(10_000)}`
  const terms = Array.from({ length: 5000 }, (_, n) => `term ${n}`)
  const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/)
  expect(kept({ form: { file: csv, name: 'List' }, terms })).toEqual({
    form: { file: { bytes: 50_000, sha256 }, name: 'List' },
    terms: { items: 5000, sha256 },
  })
})
