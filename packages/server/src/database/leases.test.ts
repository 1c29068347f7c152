import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { noWakeUp } from '../../../testing/src/jobs/test-queue.ts'
import { openWakeUp, type WakeUp } from '../jobs/wake-up.ts'
import { holdLeases } from './leases.ts'
import { openDatabase } from './pool.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { url } = stack.use(await cloneDatabase())
const wait = { timeout: 15_000, interval: 20 }
const never = 600_000
const names = ['one', 'two', 'three']

/** A process as far as leases are concerned. */
function contender(wakeUp: WakeUp, pollMs: number) {
  const own = new AsyncDisposableStack()
  const database = own.use(
    openDatabase({ url, poolSize: 2, statementTimeoutMs: 5000, onIdleError: () => undefined }),
  )
  const holds = new Set<string>()
  let taken = 0
  const hold = async (name: string, lost: AbortSignal) => {
    holds.add(name)
    taken++
    await new Promise((resolve) => lost.addEventListener('abort', resolve))
    holds.delete(name)
  }
  own.use(holdLeases({ database, names, hold, wakeUp, log: pino({ level: 'silent' }), pollMs }))
  return { database, holds, taken: () => taken, stop: () => own.disposeAsync() }
}

function signalsInProcess() {
  const heard = new Set<(text: string) => void>()
  return {
    publish(_: string, text: string) {
      for (const hear of heard) hear(text)
    },
    listen(_: string, hear: (text: string) => void) {
      heard.add(hear)
      return () => void heard.delete(hear)
    },
    onRestored: () => undefined,
  }
}

test.for([
  ['is told', never, () => openWakeUp(signalsInProcess())] as const,
  ['looks now and then', 100, () => noWakeUp] as const,
])(
  'one process holds a lease, and the next one, which %s, takes it when the first is gone',
  async ([, pollMs, openWakeUp]) => {
    const wakeUp = openWakeUp()
    const first = contender(wakeUp, pollMs)
    await expect.poll(() => first.holds, wait).toEqual(new Set(names))
    const second = contender(wakeUp, pollMs)
    const held = [...first.holds]
    await first.stop()
    expect(held).toEqual(names)
    await expect.poll(() => second.holds, wait).toEqual(new Set(names))
    await second.stop()
  },
)

test('a process whose connection is lost notices it at once, and asks for its leases again', async () => {
  const only = contender(noWakeUp, never)
  stack.defer(only.stop)
  await expect.poll(only.taken, wait).toBe(3)
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database())`.execute(
    only.database.db,
  )
  expect(rows).toHaveLength(3)
  await expect.poll(only.taken, wait).toBe(6)
  expect(only.holds).toEqual(new Set(names))
})
