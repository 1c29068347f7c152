import { expect, test } from 'vitest'
import { sendWithoutNats } from '../../../testing/src/fleet/nats-away.ts'

test('NATS is away for seconds: no send fails, and everyone hears of every message, in order', async () => {
  // As many as it waits for, however few a busy machine sends in a second.
  expect(await sendWithoutNats(5000, 10)).toBeGreaterThan(120)
}, 300_000)
