import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
await app.given.users('ann', 'bob')

const send = async (onBehalfOf: string, receiver: string, text: string, muid: string) => {
  const body = { receiver, receiverType: 'user', muid, data: { text } } as const
  const { data } = await full.sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('One receiver, one message.')
  return data.id
}

test('two who never wrote begin at once, with repeats: one conversation, each message once', async () => {
  const muids = Array.from({ length: 100 }, (_, n) => `m${n % 10}`)
  const ids = await Promise.all(
    muids.flatMap((muid) => [send('ann', 'bob', muid, muid), send('bob', 'ann', muid, muid)]),
  )
  // Ten muids of two senders.
  expect(new Set(ids).size).toBe(20)
  const { rows } = await sql<{ seq: number; id: number }>`
    select e.seq, e.id from entries e where e.app_id = ${app.appId} order by e.seq`.execute(app.db)
  expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  const inOrder = rows.map(({ id }) => id)
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b))
  const { data } = await full.getUserConversation({ params: { uid: 'bob' }, onBehalfOf: 'ann' })
  expect(data).toMatchObject([{ unreadMessageCount: '10' }])
})
