import { expect, test } from 'vitest'
import { openUnderWay } from './under-way.ts'

test('what has come and not gone is under way, and places are used again', () => {
  const underWay = openUnderWay<{ n: number }>()
  const [one, two, three] = [1, 2, 3].map((n) => ({ n })) as [
    { n: number },
    { n: number },
    { n: number },
  ]
  const places = [underWay.add(one), underWay.add(two)]
  expect(underWay.all()).toEqual([one, two])
  underWay.remove(places[0] ?? Number.NaN)
  expect([underWay.all(), underWay.size]).toEqual([[two], 1])
  // Once more does nothing: its place is not free twice.
  underWay.remove(places[0] ?? Number.NaN)
  expect(underWay.add(three)).toBe(places[0])
  underWay.add(one)
  expect([underWay.all(), underWay.size]).toEqual([[three, two, one], 3])
  const seen: number[] = []
  underWay.each(({ n }, place) => {
    seen.push(n)
    expect(underWay.at(place)?.n).toBe(n)
    underWay.remove(place)
    expect(underWay.at(place)).toBeUndefined()
  })
  expect([seen, underWay.size]).toEqual([[3, 2, 1], 0])
})

test('a place that was never given is not removed', () => {
  const underWay = openUnderWay<object>()
  underWay.remove(5)
  expect([underWay.size, underWay.add({})]).toEqual([0, 0])
})
