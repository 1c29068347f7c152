import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type BatcherOptions, openBatcher } from './batcher.ts'

type Item = { readonly key: number; readonly name: string }

class Refused extends Error {}

/** A store that holds every batch until the test lets it go. */
function slowStore() {
  const batches: string[][] = []
  const held: PromiseWithResolvers<void>[] = []
  return {
    batches,
    async commit(batch: readonly Item[]) {
      batches.push(batch.map(({ name }) => name))
      const gate = Promise.withResolvers<void>()
      held.push(gate)
      await gate.promise
      return batch.map(({ name }) => `stored ${name}`)
    },
    letGo: () => held.shift()?.resolve(),
    breakDown: (error: Error) => held.shift()?.reject(error),
  }
}

function batcherOver(
  options: Pick<BatcherOptions<Item, string>, 'commit'> & Partial<BatcherOptions<Item, string>>,
) {
  return openBatcher<Item, string>({
    isRefusal: (error) => error instanceof Refused,
    orderOf: ({ key }) => key,
    maxPerBatch: 128,
    concurrency: 1,
    maxFew: 0,
    concurrencyOfMany: 1,
    ...options,
  })
}

const item = (name: string, key = 0): Item => ({ key, name })

/** The event loop has turned, and every promise that can settle by itself has; timers would come later. */
async function untilQuiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}

test('a lone item does not wait for company: no timer, no other item', async () => {
  const store = slowStore()
  const batcher = batcherOver(store)
  const added = batcher.add(item('a'))
  await untilQuiet()
  expect(store.batches).toEqual([['a']])
  store.letGo()
  expect(await added).toBe('stored a')
})

test('what is added in the same moment shares the first batch', async () => {
  const store = slowStore()
  const batcher = batcherOver(store)
  const added = Promise.all(['a', 'b', 'c'].map((name) => batcher.add(item(name))))
  await untilQuiet()
  store.letGo()
  expect(await added).toEqual(['stored a', 'stored b', 'stored c'])
  expect(store.batches).toEqual([['a', 'b', 'c']])
})

test('the next batch fills while the previous one is committed, and leaves right behind it', async () => {
  const store = slowStore()
  const batcher = batcherOver(store)
  const first = batcher.add(item('a'))
  await untilQuiet()
  const others = [batcher.add(item('b')), batcher.add(item('c'))]
  await untilQuiet()
  others.push(batcher.add(item('d')))
  expect(store.batches).toEqual([['a']])
  store.letGo()
  expect(await first).toBe('stored a')
  await untilQuiet()
  expect(store.batches).toEqual([['a'], ['b', 'c', 'd']])
  store.letGo()
  expect(await Promise.all(others)).toEqual(['stored b', 'stored c', 'stored d'])
})

test('a batch takes as many as are allowed, the rest follow in order', async () => {
  const store = slowStore()
  const batcher = batcherOver({ ...store, maxPerBatch: 2 })
  const added = Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => batcher.add(item(name))))
  for (let batch = 0; batch < 3; batch++) {
    await untilQuiet()
    store.letGo()
  }
  await added
  expect(store.batches).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

test('small batches overlap; what must keep its order does not', async () => {
  const store = slowStore()
  const batcher = batcherOver({ ...store, concurrency: 2, maxFew: 4 })
  const added = [batcher.add(item('a', 3))]
  await untilQuiet()
  added.push(batcher.add(item('b', 3)), batcher.add(item('c', 4)))
  await untilQuiet()
  expect(store.batches).toEqual([['a'], ['c']])
  added.push(batcher.add(item('d', 5)))
  await untilQuiet()
  expect(store.batches).toHaveLength(2)
  store.letGo()
  await untilQuiet()
  expect(store.batches).toEqual([['a'], ['c'], ['b', 'd']])
  store.letGo()
  store.letGo()
  await Promise.all(added)
})

test('where there is much to do fewer batches are on their way at once', async () => {
  const store = slowStore()
  const batcher = batcherOver({ ...store, concurrency: 4, maxFew: 4, concurrencyOfMany: 2 })
  const added: Promise<string>[] = []
  for (const keys of [
    [1, 2, 3, 4, 5],
    [6, 7],
    [8, 9],
  ]) {
    added.push(...keys.map((key) => batcher.add(item(`${key}`, key))))
    await untilQuiet()
  }
  const first = [
    ['1', '2', '3', '4', '5'],
    ['6', '7'],
  ]
  expect(store.batches).toEqual(first)
  store.letGo()
  await untilQuiet()
  expect(store.batches).toEqual([...first, ['8', '9']])
  store.letGo()
  store.letGo()
  await Promise.all(added)
})

test('one bad item never fails its neighbours: a refused batch is tried item by item, in order', async () => {
  const batches: string[][] = []
  const batcher = batcherOver({
    async commit(batch) {
      batches.push(batch.map(({ name }) => name))
      if (batch.some(({ name }) => name === 'bad')) throw new Refused('bad item')
      return batch.map(({ name }) => `stored ${name}`)
    },
  })
  const settled = await Promise.allSettled(['a', 'bad', 'c'].map((name) => batcher.add(item(name))))
  expect(settled).toEqual([
    { status: 'fulfilled', value: 'stored a' },
    { status: 'rejected', reason: new Refused('bad item') },
    { status: 'fulfilled', value: 'stored c' },
  ])
  expect(batches).toEqual([['a', 'bad', 'c'], ['a'], ['bad'], ['c']])
  expect(await batcher.add(item('later'))).toBe('stored later')
})

test('a batch that may have been stored is not tried again: every item learns of the error', async () => {
  const store = slowStore()
  const batcher = batcherOver(store)
  const lost = new Error('The connection was lost.')
  const added = Promise.allSettled([batcher.add(item('a')), batcher.add(item('b'))])
  await untilQuiet()
  store.breakDown(lost)
  expect(await added).toEqual([
    { status: 'rejected', reason: lost },
    { status: 'rejected', reason: lost },
  ])
  expect(store.batches).toEqual([['a', 'b']])
  const later = batcher.add(item('c'))
  await untilQuiet()
  store.letGo()
  expect(await later).toBe('stored c')
})

test('idle waits for all that was accepted, also while it waits, and for nothing when there is nothing', async () => {
  const store = slowStore()
  const batcher = batcherOver(store)
  await batcher.idle()
  const added = [batcher.add(item('a'))]
  await untilQuiet()
  let idle = false
  const waited = batcher.idle().then(() => {
    idle = true
  })
  added.push(batcher.add(item('b')))
  store.letGo()
  await untilQuiet()
  expect(store.batches).toEqual([['a'], ['b']])
  expect(idle).toBe(false)
  store.letGo()
  await waited
  expect(await Promise.all(added)).toEqual(['stored a', 'stored b'])
})

test('reliability 4: a batch without an answer holds up only what must keep its order with it', async () => {
  const store = slowStore()
  const batcher = batcherOver({ ...store, lateMs: 20 })
  const silent = batcher.add(item('silent', 1))
  await expect.poll(() => store.batches).toEqual([['silent']])
  const others = [
    batcher.add(item('behind it', 1)),
    batcher.add(item('b', 2)),
    batcher.add(item('c', 3)),
  ]
  await expect.poll(() => store.batches).toEqual([['silent'], ['b', 'c']])
  const lost = new Error('The connection was dropped.')
  store.breakDown(lost)
  await expect(silent).rejects.toBe(lost)
  await expect.poll(() => store.batches).toEqual([['silent'], ['b', 'c'], ['behind it']])
  store.letGo()
  store.letGo()
  expect(await Promise.all(others)).toEqual(['stored behind it', 'stored b', 'stored c'])
  await batcher.idle()
})
