import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import { forgetSignInAttempts, takeSignInAttempt } from './sign-in-attempts.sql.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const now = 1_700_000_000

function take(email: string, address: string, at = now) {
  return takeSignInAttempt(app, { email, address, now: at })
}

async function takeMany(email: string, addresses: readonly string[], at = now) {
  let taken = 0
  for (const address of addresses) {
    if ((await take(email, address, at)) === undefined) taken++
  }
  return taken
}

test('of attempts at the same time from one address five are made', async () => {
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => take('a@x', '192.0.2.1')))
  const until = outcomes.filter((outcome) => outcome !== undefined)
  expect([outcomes.length - until.length, new Set(until)]).toEqual([5, new Set([now + 900])])
  // Others from there, and the same person from elsewhere.
  expect(await take('b@x', '192.0.2.1')).toBeUndefined()
  expect(await take('a@x', '192.0.2.2')).toBeUndefined()
})

test('of attempts from many addresses fifty are made, until the first of them is forgotten', async () => {
  const addresses = Array.from({ length: 60 }, (_, nth) => `198.51.100.${nth}`)
  expect(await takeMany('c@x', addresses)).toBe(50)
  expect(await take('c@x', '203.0.113.1', now + 899)).toBe(now + 900)
  expect(await take('c@x', '203.0.113.1', now + 900)).toBeUndefined()
})

test('one that succeeds forgets those of its address only', async () => {
  const from = (address: string) => Array.from({ length: 6 }, () => address)
  expect(await takeMany('d@x', [...from('192.0.2.1'), ...from('192.0.2.2')])).toBe(10)
  await forgetSignInAttempts(app, { email: 'd@x', address: '192.0.2.1', now })
  expect(await take('d@x', '192.0.2.1')).toBeUndefined()
  expect(await take('d@x', '192.0.2.2')).toBe(now + 900)
})
