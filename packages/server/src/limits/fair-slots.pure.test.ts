import { expect, test } from 'vitest'
import { NoSlot, openFairSlots } from './fair-slots.ts'

/** Work that ends when the test says so. */
function openFixture(slots = openFairSlots({ most: 2, maxPerKey: 1, maxWaitingPerKey: 3 })) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const use = (key: string, name: string) =>
    slots.use(key, () => {
      started.push(name)
      const { promise, resolve } = Promise.withResolvers<string>()
      ends.set(name, () => resolve(name))
      return promise
    })
  const end = async (name: string) => {
    ends.get(name)?.()
    // What the end sets free starts within a few microtasks.
    await new Promise(setImmediate)
  }
  return { started, use, end }
}

test('a key has its share, whatever is free; others start beside it', async () => {
  const { started, use, end } = openFixture()
  const all = [use('a', 'a1'), use('a', 'a2'), use('b', 'b1')]
  await new Promise(setImmediate)
  expect(started).toEqual(['a1', 'b1'])
  await end('a1')
  expect(started).toEqual(['a1', 'b1', 'a2'])
  await end('b1')
  await end('a2')
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1'])
})

test('keys that wait take turns, however much one of them has in line', async () => {
  const { started, use, end } = openFixture(
    openFairSlots({ most: 1, maxPerKey: 1, maxWaitingPerKey: 3 }),
  )
  const all = [use('a', 'a1'), use('a', 'a2'), use('a', 'a3'), use('b', 'b1'), use('c', 'c1')]
  for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) {
    await new Promise(setImmediate)
    expect(started.at(-1)).toBe(name)
    await end(name)
  }
  await Promise.all(all)
})

test('what no place is left for is refused at once; others of the same key are not', async () => {
  const { use, end } = openFixture()
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => use('a', name))
  await expect(use('a', 'a5')).rejects.toBeInstanceOf(NoSlot)
  for (const name of ['a1', 'a2', 'a3', 'a4']) await end(name)
  expect(await Promise.all(all)).toHaveLength(4)
})

test('work that fails gives its place back', async () => {
  const slots = openFairSlots({ most: 1, maxPerKey: 1, maxWaitingPerKey: 0 })
  for (let n = 0; n < 3; n++) {
    await expect(slots.use('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  }
  expect(await slots.use('b', async () => 'yes')).toBe('yes')
})

test('a key that is alone has more, until another comes', async () => {
  const { started, use, end } = openFixture(
    openFairSlots({ most: 4, maxPerKey: (_, isAlone) => (isAlone ? 3 : 1), maxWaitingPerKey: 9 }),
  )
  const all = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => use('a', name))
  all.push(use('b', 'b1'))
  await new Promise(setImmediate)
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1'])
  await end('a1')
  await end('a2')
  expect(started).toHaveLength(4)
  await end('b1')
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'a5'])
  for (const name of ['a3', 'a4', 'a5']) await end(name)
  expect(await Promise.all(all)).toHaveLength(6)
})

test('who has waited too long is refused, and leaves no trace', async () => {
  const slots = openFairSlots({ most: 1, maxPerKey: 1, maxWaitingPerKey: 9, patienceMs: 1 })
  const { use, end } = openFixture(slots)
  const first = use('a', 'a1')
  await expect(use('a', 'a2')).rejects.toBeInstanceOf(NoSlot)
  await expect(use('b', 'b1')).rejects.toBeInstanceOf(NoSlot)
  await end('a1')
  await first
  expect(await slots.use('b', async () => 'yes')).toBe('yes')
})
