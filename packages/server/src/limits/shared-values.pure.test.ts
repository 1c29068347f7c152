import { expect, test } from 'vitest'
import { openSharedValues } from './shared-values.ts'

const role = (permissions: readonly string[]) => ({ permissions })

test('equal values of one name are one object', () => {
  const share = openSharedValues(10)
  const first = share('app', 'role default', role(['send']))
  expect(share('app', 'role default', role(['send']))).toBe(first)
})

test('a value that differs takes the place of the one before', () => {
  const share = openSharedValues(10)
  const first = share('app', 'role default', role(['send']))
  const second = share('app', 'role default', role([]))
  expect(second).toEqual(role([]))
  const third = share('app', 'role default', role(['send']))
  expect(third).toEqual(first)
  expect(third).not.toBe(first)
})

test('apps and names share nothing', () => {
  const share = openSharedValues(10)
  const all = [
    share('one', 'role default', role([])),
    share('two', 'role default', role([])),
    share('one', 'role moderator', role([])),
  ]
  expect(new Set(all).size).toBe(3)
})

test('a text of its own stands for a value', () => {
  const share = openSharedValues(10)
  const first = share('app', 'key', { n: 1 }, 'fullAccess')
  expect(share('app', 'key', { n: 2 }, 'fullAccess')).toBe(first)
  expect(share('app', 'key', { n: 3 }, 'authOnly')).toEqual({ n: 3 })
})
