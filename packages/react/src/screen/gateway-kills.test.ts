import { afterAll, expect, test, vi } from 'vitest'
import { talkThroughKills } from '../../../testing/src/kills/gateway-kills.ts'

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 300_000 })

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

test('two gateways are killed one after the other: no row of two pages and a program is missing, doubled or misplaced', async () => {
  const outcome = await talkThroughKills(stack, [[0], [1]])
  console.log('react: gateway kills:', outcome)
  expect(outcome.faults).toEqual([])
  // After the first kill all three are at the gateway that dies next.
  expect(outcome.losses).toBeGreaterThanOrEqual(3)
})
