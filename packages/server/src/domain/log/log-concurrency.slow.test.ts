import { afterAll, test } from 'vitest'
import { appendFromTwoProcesses } from '../../../../testing/src/processes/append-processes.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

test('20,000 appends of two processes to one conversation leave one dense log', async () => {
  await appendFromTwoProcesses(app, { rounds: 1, conversations: 1, appends: 20_000, copies: 1 })
})

test('64 at once, a hundred times over: one dense log each', async () => {
  await appendFromTwoProcesses(app, { rounds: 100, conversations: 1, appends: 64, copies: 1 })
})

test('2,000 entries sent ten times over two processes are 2,000 entries', async () => {
  await appendFromTwoProcesses(app, { rounds: 1, conversations: 1, appends: 2000, copies: 10 })
})

test('20,000 appends over 500 conversations, from both ends, do not deadlock', async () => {
  await appendFromTwoProcesses(app, { rounds: 1, conversations: 500, appends: 20_000, copies: 1 })
})
