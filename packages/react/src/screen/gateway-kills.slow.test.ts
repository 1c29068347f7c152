import { afterAll, expect, test, vi } from 'vitest'
import { talkThroughKills } from '../../../testing/src/kills/gateway-kills.ts'

// 21 processes are started one after the other, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 1_800_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

test('gateways are killed 20 times, at times both: no row of two pages and a program is missing, doubled or misplaced', async () => {
  const five = [[0], [1], [0], [0, 1]]
  const outcome = await talkThroughKills(stack, [five, five, five, five].flat())
  console.log('react: gateway kills:', outcome)
  expect(outcome.kills).toBe(20)
  expect(outcome.faults).toEqual([])
  expect(outcome.losses).toBeGreaterThanOrEqual(3 * 12)
})
