import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type LoaderOptions, openLoader } from './loader.ts'

type Key = { readonly id: number }

/** A table that answers when the test lets it, with what it held when it was asked. */
function slowTable() {
  const rows = new Map<string, string>()
  const asked: number[][] = []
  const held: PromiseWithResolvers<void>[] = []
  return {
    rows,
    asked,
    async fetch(keys: readonly Key[]) {
      asked.push(keys.map(({ id }) => id))
      const found = keys.map(({ id }) => rows.get(String(id)))
      const gate = Promise.withResolvers<void>()
      held.push(gate)
      await gate.promise
      return found
    },
    answer: () => held.shift()?.resolve(),
    fail: (error: Error) => held.shift()?.reject(error),
  }
}

function loaderOver(
  options: Pick<LoaderOptions<Key, string>, 'fetch' | 'lateMs'> & { most?: number },
) {
  return openLoader<Key, string>({
    ...options,
    nameOf: ({ id }) => String(id),
    concurrency: 2,
    maxPerBatch: options.most ?? 128,
  })
}

/** The event loop has turned, and every promise that can settle by itself has; timers would come later. */
async function untilQuiet(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}

test('keys of one moment are one statement, and equal keys are asked for once', async () => {
  const table = slowTable()
  table.rows.set('1', 'one').set('2', 'two')
  const loader = loaderOver(table)
  const loaded = Promise.all([1, 2, 1, 3, 1].map((id) => loader.load({ id })))
  await untilQuiet()
  expect(table.asked).toEqual([[1, 2, 3]])
  table.answer()
  expect(await loaded).toEqual(['one', 'two', 'one', undefined, 'one'])
})

test('a lone key does not wait', async () => {
  const table = slowTable()
  const loader = loaderOver(table)
  const loaded = loader.load({ id: 1 })
  await untilQuiet()
  expect(table.asked).toEqual([[1]])
  table.answer()
  expect(await loaded).toBeUndefined()
})

test('what arrives while all statements are on their way shares the next one', async () => {
  const table = slowTable()
  const loader = loaderOver(table)
  const loaded = [loader.load({ id: 1 })]
  await untilQuiet()
  loaded.push(loader.load({ id: 2 }))
  await untilQuiet()
  loaded.push(loader.load({ id: 3 }), loader.load({ id: 4 }))
  await untilQuiet()
  loaded.push(loader.load({ id: 3 }), loader.load({ id: 5 }))
  expect(table.asked).toEqual([[1], [2]])
  table.answer()
  await untilQuiet()
  expect(table.asked).toEqual([[1], [2], [3, 4, 5]])
  table.answer()
  table.answer()
  await Promise.all(loaded)
})

test('nothing is ever stale: who asks behind a change gets it, though an older answer is still due', async () => {
  const table = slowTable()
  table.rows.set('1', 'old')
  const loader = loaderOver(table)
  const before = loader.load({ id: 1 })
  await untilQuiet()
  table.rows.set('1', 'new')
  const after = loader.load({ id: 1 })
  await untilQuiet()
  // The second was not attached to the statement that had left already.
  expect(table.asked).toEqual([[1], [1]])
  table.answer()
  table.answer()
  expect(await before).toBe('old')
  expect(await after).toBe('new')
  table.rows.set('1', 'newer')
  const later = loader.load({ id: 1 })
  await untilQuiet()
  table.answer()
  expect(await later).toBe('newer')
})

test('a statement takes as many keys as are allowed', async () => {
  const table = slowTable()
  const loader = loaderOver({ ...table, most: 2 })
  const loaded = Promise.all([1, 2, 3, 4, 5].map((id) => loader.load({ id })))
  await untilQuiet()
  expect(table.asked).toEqual([
    [1, 2],
    [3, 4],
  ])
  table.answer()
  await untilQuiet()
  expect(table.asked.at(-1)).toEqual([5])
  table.answer()
  table.answer()
  expect(await loaded).toHaveLength(5)
})

test('an error reaches its own statement only, and the loader goes on', async () => {
  const table = slowTable()
  table.rows.set('2', 'two')
  const loader = loaderOver({ ...table, most: 1 })
  const lost = new Error('The connection was lost.')
  const loaded = Promise.allSettled([1, 2, 3].map((id) => loader.load({ id })))
  await untilQuiet()
  table.fail(lost)
  await untilQuiet()
  table.answer()
  table.answer()
  expect(await loaded).toEqual([
    { status: 'rejected', reason: lost },
    { status: 'fulfilled', value: 'two' },
    { status: 'fulfilled', value: undefined },
  ])
})

test('reliability 4: statements without an answer do not hold up those behind them', async () => {
  const table = slowTable()
  const loader = loaderOver({ ...table, most: 1, lateMs: 20 })
  const loaded = Promise.all([1, 2, 3, 4].map((id) => loader.load({ id })))
  // Two may be on their way at once; once they are late, two more.
  await expect.poll(() => table.asked).toEqual([[1], [2], [3], [4]])
  const fifth = loader.load({ id: 5 })
  await untilQuiet()
  expect(table.asked).toHaveLength(4)
  for (let n = 0; n < 4; n++) table.answer()
  await loaded
  await expect.poll(() => table.asked.at(-1)).toEqual([5])
  table.answer()
  await fifth
})
