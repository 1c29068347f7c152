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
