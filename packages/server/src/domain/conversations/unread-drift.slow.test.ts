import { afterAll, expect, test } from 'vitest'
import { deadlocksIn } from '../../../../testing/src/data/log-entries.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { expectNoDrift } from '../../../../testing/src/unread/drift.ts'

const app = await startTestApp({ shadow: false, sockets: false })
afterAll(() => app[Symbol.asyncDispose]())

const operations = Number(process.env.UNREAD_OPERATIONS ?? 1_000_000)
const oneHour = 3_600_000

test(
  'a million random operations: at a thousand checkpoints every unread count is exact',
  async () => {
    const checkpoints = Math.ceil(operations / 1000)
    await expectNoDrift(app, { operations, checkpoints, onProgress: console.log })
    expect(await deadlocksIn(app.db)).toBe(0)
  },
  oneHour,
)
