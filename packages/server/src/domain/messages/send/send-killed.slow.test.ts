import { afterAll, expect, test } from 'vitest'
import { sendWhileKilling } from '../../../../../testing/src/sends/storm.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

const halfAnHour = 1_800_000

test(
  'servers die six times while 64 clients send 10,000 messages: each is stored once, in one order',
  async () => {
    const cutOff = await sendWhileKilling(app, { sends: 10_000, kills: 6 })
    console.log(`${cutOff} requests were cut off and sent again`)
    expect(cutOff).toBeGreaterThan(0)
  },
  halfAnHour,
)
