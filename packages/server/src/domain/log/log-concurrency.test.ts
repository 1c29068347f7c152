import { afterAll, expect, test } from 'vitest'
import { messageOf } from '../../../../testing/src/data/log-entries.ts'
import { appendFromTwoProcesses } from '../../../../testing/src/processes/append-processes.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { openAppendBatcher } from './log.ts'
import { insertConversation } from './participants/participants.sql.ts'

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

test('200 sends of one moment are four batches, and two where other processes send as well', async () => {
  const { db, appId } = app
  const batches = async (processes: number) => {
    const place = { ...(await insertConversation({ appId, db }, 100)), appId }
    let committed = 0
    const onCommit = () => void committed++
    const batcher = openAppendBatcher(db, () => 200, { processes, onCommit })
    await Promise.all(Array.from({ length: 200 }, () => batcher.add(messageOf(place, 'ann'))))
    return committed
  }
  expect(await batches(1)).toBe(4)
  expect(await batches(2)).toBe(2)
})
