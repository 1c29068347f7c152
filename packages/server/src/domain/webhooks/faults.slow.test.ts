import { expect, test } from 'vitest'
import {
  measureNeighbours,
  surviveAbsence,
  surviveKills,
} from '../../../../testing/src/webhooks/webhook-faults.ts'

test('a receiver that is gone for ten minutes of its time hears everything, in order', async () => {
  // Ten times faster than it would be.
  await surviveAbsence(1000, 60_000, 60)
})

test('workers that are killed five times with deliveries in hand lose none', async () => {
  const { delivered, twice } = await surviveKills(5, 50)
  console.log(`webhooks: killed five times: ${delivered} delivered, ${twice} of them twice`)
})

test('receivers that hang, fail, flood or lead astray hold up no other app', async () => {
  const { alone, beside, delivered } = await measureNeighbours(10, 50)
  const ms = (value: number) => value.toFixed(0)
  console.log(
    `webhooks: p99 of ${delivered}: ${ms(alone)} ms alone, ${ms(beside)} ms beside bad ones`,
  )
  expect(beside).toBeLessThan(alone * 1.5)
})
