import { expect, test, vi } from 'vitest'
import {
  measureNeighbours,
  surviveAbsence,
  surviveKills,
} from '../../../../testing/src/webhooks/webhook-faults.ts'

vi.setConfig({ testTimeout: 120_000 })

test('a receiver that is gone for a minute and a half of its time hears everything, in order', async () => {
  // A hundred times faster than it would be.
  await surviveAbsence(100, 900, 6)
})

test('workers that are killed with deliveries in hand lose none', async () => {
  const { delivered, twice } = await surviveKills(1, 20)
  console.log(`webhooks: killed once: ${delivered} delivered, ${twice} of them twice`)
})

test('receivers that hang, fail, flood or lead astray hold up no other app', async () => {
  const { alone, beside, delivered } = await measureNeighbours(1, 20)
  const ms = (value: number) => value.toFixed(0)
  console.log(
    `webhooks: p99 of ${delivered}: ${ms(alone)} ms alone, ${ms(beside)} ms beside bad ones`,
  )
  expect(delivered).toBe(80)
  // Before anything of theirs is given up, which takes ten seconds.
  expect(beside).toBeLessThan(10_000)
})
