import { expect, test } from 'vitest'
import { openAppCache } from './app-cache.ts'

test('a full cache drops the oldest values of the app that holds most', () => {
  const cache = openAppCache<number>(20)
  cache.set('small', 'a', 1)
  for (let n = 0; n < 100; n++) cache.set('large', `key-${n}`, n)
  expect(cache.get('small', 'a')).toBe(1)
  expect(cache.get('large', 'key-99')).toBe(99)
  expect(cache.get('large', 'key-0')).toBeUndefined()
})

test('a value that is set again is not the oldest any more', () => {
  const cache = openAppCache<number>(3)
  for (const key of ['a', 'b', 'c']) cache.set('app', key, 1)
  cache.set('app', 'a', 1)
  cache.set('app', 'd', 1)
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get('app', key))).toEqual(['a', 'c', 'd'])
})

test('a deleted value is gone and leaves room', () => {
  const cache = openAppCache<number>(2)
  cache.set('app', 'a', 1)
  cache.delete('app', 'a')
  cache.set('app', 'b', 2)
  cache.set('app', 'c', 3)
  expect(cache.get('app', 'a')).toBeUndefined()
  expect([cache.get('app', 'b'), cache.get('app', 'c')]).toEqual([2, 3])
})

test('values of different sizes take no more than the maximum in all', () => {
  const cache = openAppCache<string>(100, ({ length }) => length)
  cache.set('small', 'a', 'x'.repeat(10))
  for (let n = 0; n < 50; n++) cache.set('large', `key-${n}`, 'x'.repeat(1 + n))
  const left = Array.from({ length: 50 }, (_, n) => cache.get('large', `key-${n}`) ?? '')
  expect(left.at(-1)).toHaveLength(50)
  expect(left.join('').length).toBeLessThanOrEqual(90)
  expect(cache.get('small', 'a')).toHaveLength(10)
  cache.set('large', 'too large', 'x'.repeat(101))
  expect(cache.get('large', 'too large')).toBeUndefined()
})
