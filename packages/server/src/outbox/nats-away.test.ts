import { expect, test } from 'vitest'
import { sendWithoutNats } from '../testing/fleet/nats-away.ts'

test('NATS is away for seconds: no send fails, and everyone hears of every message, in order', async () => {
  expect(await sendWithoutNats(5000, 10)).toBeGreaterThan(200)
}, 180_000)
