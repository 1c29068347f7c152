import { afterAll, expect, test } from 'vitest'
import { deadlocksIn } from '../../../../testing/src/data/log-entries.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { expectNoDrift } from '../../../../testing/src/unread/drift.ts'

const app = await startTestApp({ shadow: false, sockets: false })
afterAll(() => app[Symbol.asyncDispose]())

test('3,000 random operations on 20 conversations leave every unread count exact', async () => {
  await expectNoDrift(app, { operations: 3000, checkpoints: 10 })
  expect(await deadlocksIn(app.db)).toBe(0)
}, 300_000)
