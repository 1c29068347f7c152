import { expect, test } from 'vitest'
import { openLoopShare } from './loop-share.ts'

test('an app pays for the loop that it has held while another one calls, and only then', () => {
  let now = 0
  const loop = openLoopShare(() => now)
  loop.seen('a')
  loop.spend('a', 150)
  expect(loop.msToWait('a')).toBe(0)
  loop.seen('b')
  expect(loop.msToWait('a')).toBe(500)
  expect(loop.msToWait('b')).toBe(0)
  loop.seen('a')
  expect(loop.msToWait('a')).toBe(500)
  now += 400
  expect(loop.msToWait('a')).toBeCloseTo(100)
  loop.spend('a', 1000)
  now += 601
  loop.seen('a')
  expect(loop.msToWait('a')).toBe(0)
  loop.seen('c')
  expect(loop.msToWait('a')).toBeGreaterThan(0)
})
