import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { holdLeases } from './leases.ts'
import { openDatabase } from './pool.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { url } = stack.use(await cloneDatabase())
const wait = { timeout: 15_000, interval: 20 }
const names = ['one', 'two', 'three']

/** A process as far as leases are concerned. */
function contender() {
  const own = new AsyncDisposableStack()
  const { db } = own.use(
    openDatabase({ url, poolSize: 2, statementTimeoutMs: 5000, onIdleError: () => undefined }),
  )
  const holds = new Set<string>()
  const hold = async (name: string, lost: AbortSignal) => {
    holds.add(name)
    await new Promise((resolve) => lost.addEventListener('abort', resolve))
    holds.delete(name)
  }
  own.use(holdLeases({ db, names, hold, log: pino({ level: 'silent' }) }))
  return { holds, stop: () => own.disposeAsync() }
}

test('one process holds a lease, and the next one takes it when the first is gone', async () => {
  const first = contender()
  await expect.poll(() => first.holds, wait).toEqual(new Set(names))
  const second = contender()
  stack.defer(second.stop)
  const held = [...first.holds]
  await first.stop()
  expect(held).toEqual(names)
  await expect.poll(() => second.holds, wait).toEqual(new Set(names))
})
