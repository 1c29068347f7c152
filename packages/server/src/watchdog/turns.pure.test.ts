import { setTimeout as idle } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inTurn } from './turns.ts'

function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a turn is told how long the loop has worked for it, not how long it has waited', async () => {
  const held: number[] = []
  const turn = { operation: 'slow', onHeld: (ms: number) => held.push(ms) }
  inTurn(turn, () => spin(30))
  inTurn({ operation: 'another' }, () => undefined)
  expect(held).toHaveLength(1)
  expect(held[0]).toBeGreaterThanOrEqual(30)
  inTurn(turn, () => undefined)
  await idle(400)
  inTurn({ operation: 'another' }, () => undefined)
  expect(held).toHaveLength(2)
  expect(held[1]).toBeLessThan(300)
})
