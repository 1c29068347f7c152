import { afterAll, test } from 'vitest'
import { appendFromTwoProcesses } from '../../../../testing/src/processes/append-processes.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

test('two processes that append to one conversation at once leave one dense log', async () => {
  await appendFromTwoProcesses(app, { rounds: 5, conversations: 1, appends: 64, copies: 1 })
})

test('what is sent ten times over two processes is stored once, and all ten get the same id', async () => {
  await appendFromTwoProcesses(app, { rounds: 3, conversations: 1, appends: 64, copies: 10 })
})

test('batches over the same conversations, from both ends, do not deadlock', async () => {
  await appendFromTwoProcesses(app, { rounds: 3, conversations: 20, appends: 400, copies: 1 })
  await appendFromTwoProcesses(app, { rounds: 2, conversations: 20, appends: 100, copies: 4 })
})
