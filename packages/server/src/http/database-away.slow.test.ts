import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startFreezing } from '../../../testing/src/service/freezing.ts'

test('reliability 4: a database frozen for 40 s: every call is answered within 12 s, nothing is lost', async () => {
  await using fixture = await startFreezing({})
  const times: number[] = []
  const timed = async (call: () => Promise<{ readonly status: number }>) => {
    const startedAt = performance.now()
    const { status } = await call()
    times.push(performance.now() - startedAt)
    return status
  }
  fixture.freeze()
  const frozenAt = performance.now()
  const calls: Promise<number>[] = []
  while (performance.now() - frozenAt < 40_000) {
    calls.push(timed(fixture.say), timed(fixture.look))
    await after(100)
  }
  fixture.thaw()
  const statuses = new Set(await Promise.all(calls))
  const longest = Math.max(...times)
  const messages = await fixture.sayAgain()
  console.log(
    `${calls.length} calls, the longest took ${(longest / 1000).toFixed(1)} s; ${messages} messages stored once`,
  )
  expect(longest).toBeLessThan(12_000)
  expect([...statuses].toSorted()).toEqual([200, 503])
}, 600_000)
