import type { threads } from '@chorale/contract/messages'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { refuseEvents } from '../../../../../testing/src/data/refused-events.ts'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'
import type { AppendCtx, Handlers } from '../../../pipeline/handler.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
await app.given.users('ann', 'bob')
const hello = {
  onBehalfOf: 'ann',
  body: { receiver: 'bob', receiverType: 'user', data: { text: 'hello' } },
} as const

async function rowsOf(table: 'user_conversations' | 'conversations' | 'participants') {
  const { rows } = await sql`select from ${sql.table(table)}`.execute(app.db)
  return rows.length
}

async function started() {
  return (await app.events()).filter(({ name }) => name === 'conversation.started')
}

test('F1: a conversation is stored with the event of its start, or not at all', async () => {
  const refusal = await refuseEvents(app.db)
  await expect(full.sendMessage(hello)).rejects.toMatchObject({ status: 500 })
  expect(await rowsOf('user_conversations')).toBe(0)
  expect(await rowsOf('conversations')).toBe(0)
  expect(await rowsOf('participants')).toBe(0)
  await refusal.end()
  await full.sendMessage(hello)
  await full.sendMessage(hello)
  expect(await started()).toMatchObject([{ payload: { uids: ['ann', 'bob'] } }])
  expect(await rowsOf('user_conversations')).toBe(1)
})

test('F1: first messages of one moment, either way, record one start', async () => {
  await app.given.users('cyd', 'dan')
  const before = (await started()).length
  const send = (onBehalfOf: string, receiver: string) =>
    full.sendMessage({ onBehalfOf, body: { ...hello.body, receiver } })
  await Promise.all([send('cyd', 'dan'), send('dan', 'cyd'), send('cyd', 'dan')])
  expect(await started()).toHaveLength(before + 1)
})

test('F1: a handler of effect append has no outbox, so the compiler refuses a bare event', () => {
  const startOutsideItsTransaction = async (ctx: AppendCtx) => {
    // @ts-expect-error: an event is a row of the transaction of its change.
    await ctx.outbox.append('conversation.started', { bucket: 0, key: 1, uids: [] })
  }
  const reply: Partial<Handlers<typeof threads>> = {
    // @ts-expect-error: the same, where the contract gives the handler its context.
    replyToMessage: (_, { outbox }) => outbox.append('thread.subscribed', {}),
    // @ts-expect-error: a handler of effect read has none either.
    listThreads: (_, { outbox }) => outbox.append('thread.subscribed', {}),
  }
  expect([startOutsideItsTransaction, reply]).toHaveLength(2)
})
