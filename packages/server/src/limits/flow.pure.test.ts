import { expect, test } from 'vitest'
import { openFlow } from './flow.ts'

test('a key has its amount each second, whatever others take', () => {
  let now = 0
  const flow = openFlow({ perSecond: 10, clock: () => now })
  const taken = (key: string, times: number) =>
    Array.from({ length: times }, () => flow.take(key, 1)).filter(Boolean).length
  expect(taken('a', 25)).toBe(10)
  expect(taken('b', 5)).toBe(5)
  now += 500
  expect(taken('a', 25)).toBe(5)
  now += 60_000
  expect(taken('a', 25)).toBe(10)
})

test('what is more than a second holds is taken once, and paid back', () => {
  let now = 0
  const flow = openFlow({ perSecond: 10, clock: () => now })
  expect(flow.take('a', 35)).toBe(true)
  expect(flow.take('a', 1)).toBe(false)
  now += 2500
  expect(flow.take('a', 1)).toBe(false)
  now += 100
  expect(flow.take('a', 1)).toBe(true)
  expect(flow.take('a', 35)).toBe(false)
  now += 1000
  expect(flow.take('a', 35)).toBe(true)
})

test('what is spent without asking is owed, a second of it at most', () => {
  let now = 0
  const flow = openFlow({ perSecond: 10, clock: () => now })
  flow.spend('a', 10)
  expect(flow.msInDebt('a')).toBe(0)
  flow.spend('a', 5)
  expect(flow.msInDebt('a')).toBe(500)
  expect(flow.msInDebt('b')).toBe(0)
  flow.spend('a', 1000)
  expect(flow.msInDebt('a')).toBe(1000)
  now += 1000
  expect(flow.msInDebt('a')).toBe(0)
  expect(flow.take('a', 1)).toBe(false)
})

test('as much is left over, or owed, as it is told', () => {
  let now = 0
  const flow = openFlow({ perSecond: 10, most: 30, clock: () => now })
  flow.spend('a', 30)
  expect(flow.msInDebt('a')).toBe(0)
  flow.spend('a', 100)
  expect(flow.msInDebt('a')).toBe(3000)
  now += 4000
  expect(flow.take('a', 11)).toBe(false)
  expect(flow.take('a', 10)).toBe(true)
})
