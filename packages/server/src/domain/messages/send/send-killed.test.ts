import { afterAll, expect, test } from 'vitest'
import { sendWhileKilling } from '../../../../../testing/src/sends/storm.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

test('a server dies while 64 clients send: all that was acknowledged is stored, once, in one order', async () => {
  expect(await sendWhileKilling(app, { sends: 400, kills: 1 })).toBeGreaterThan(0)
}, 300_000)
