import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { survivePushFaults } from '../../../../../testing/src/notifications/push-faults.ts'

const seed = process.env.PUSH_SEED ?? String(randomInt(2 ** 32))

test('killed three times between faulty providers, a worker shows each of 5,000 messages once on each phone', async () => {
  const { mistakes, says } = await survivePushFaults({ seed, messages: 5000, kills: 3 })
  console.log(says)
  expect(mistakes).toEqual([])
}, 1_000_000)
