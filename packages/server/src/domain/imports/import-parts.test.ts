import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '@chorale/contract/conversations'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const app = stack.use(await startTestApp({ shadow: false }))
const full = app.as('full')
const neighbour = app.client(await app.anotherApp(), 'full')
await app.given.users('ann')
await app.given.group('choir', { owner: 'ann' })

const size = 300
/** The second half replies to the first. The newest comes first in the call. */
function messagesFrom(firstId: number) {
  return Object.fromEntries(
    Array.from({ length: size }, (_, nth) => {
      const id = String(firstId + nth)
      return [
        `m${id}`,
        {
          id,
          muid: `m${id}`,
          sender: 'ann',
          receiverType: 'group' as const,
          receiver: 'choir',
          sentAt: 1_600_000_000 + firstId + nth,
          data: { text: `Message ${id}` },
          ...(nth >= size / 2 && { parentId: String(firstId + nth - size / 2) }),
        },
      ] as const
    }).reverse(),
  )
}

/** Another app calls until the work is done. */
async function besideCalls<T>(work: () => Promise<T>): Promise<T> {
  let isDone = false
  const calling = async () => {
    while (!isDone) {
      await neighbour.listUsers({})
      await sleep(20)
    }
  }
  await neighbour.listUsers({})
  const calls = calling()
  try {
    return await work()
  } finally {
    isDone = true
    await calls
  }
}

async function transactionsOf(firstId: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct xmin::text)::int as n from entries
    where app_id = ${app.appId} and id >= ${firstId} and id < ${firstId + size}
      and extra ? 'parent'`.execute(app.db)
  return rows[0]?.n ?? 0
}

const alone = <T>(work: () => Promise<T>) => work()

test.for([
  { where: 'alone, in one transaction', around: alone, firstId: 1000, parts: 1 },
  { where: 'beside another app, in parts', around: besideCalls, firstId: 5000, parts: 3 },
])('a long call is stored $where, with the same outcome', async ({ around, firstId, parts }) => {
  // No other app has called within the last second.
  await sleep(1100)
  const messages = messagesFrom(firstId)
  const { data: outcomes } = await around(() => full.importMessages({ body: { messages } }))
  expect(Object.keys(outcomes)).toEqual(Object.keys(messages))
  expect(Object.values(outcomes).filter(({ success }) => !success)).toEqual([])
  expect(await transactionsOf(firstId)).toBe(parts)
  const { data } = await full.listGroupMessages({
    params: { guid: 'choir' },
    query: { limit: size / 2, category: 'message', hideReplies: true },
  })
  const firstHalf = Array.from({ length: size / 2 }, (_, nth) => String(firstId + nth))
  const page = data as readonly Message[]
  expect(page.map(({ id }) => id).toSorted()).toEqual(firstHalf)
  expect(page.every(({ replyCount }) => replyCount === 1)).toBe(true)
  const again = await besideCalls(() => full.importMessages({ body: { messages } }))
  expect(Object.values(again.data).filter(({ success }) => !success)).toEqual([])
})

/** One of them is sent otherwise than the contract has it. */
function withChanged(messages: ReturnType<typeof messagesFrom>, key: string, change: object) {
  return Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [
      name,
      name === key ? { ...message, ...change } : message,
    ]),
  )
}

test('what is wrong in a long call is said as in a short one, and nothing of it is stored', async () => {
  const messages = withChanged(messagesFrom(9000), 'm9007', { sentAt: 'soon' })
  const refusalOf = (sent: typeof messages) =>
    full.importMessages({ body: { messages: sent } }).then(
      () => expect.unreachable(),
      ({ status, code, details }) => ({ status, code, details }),
    )
  const refusal = await refusalOf(messages)
  expect(refusal).toMatchObject({ status: 400, code: 'ERR_BAD_REQUEST' })
  const short = Object.fromEntries(Object.entries(messages).filter(([name]) => name === 'm9007'))
  expect(refusal).toEqual(await refusalOf(short))
  expect(JSON.stringify(refusal)).toContain('m9007')
  await expect(full.getMessage({ params: { id: '9000' } })).rejects.toMatchObject({ status: 404 })
})

test('a call with too many messages is refused', async () => {
  const call = { ...messagesFrom(20_000), ...messagesFrom(21_000), ...messagesFrom(22_000) }
  const messages = { ...call, ...messagesFrom(23_000) }
  expect(Object.keys(messages)).toHaveLength(1200)
  await expect(full.importMessages({ body: { messages } })).rejects.toMatchObject({ status: 400 })
})

test('a long list is no object, as a short one is none', async () => {
  const list = Object.values(messagesFrom(40_000))
  for (const sent of [list, list.slice(0, 1)]) {
    const messages = sent as never
    await expect(full.importMessages({ body: { messages } })).rejects.toMatchObject({
      status: 400,
      details: { messages: expect.anything() },
    })
  }
})

test('the items of a long call are read as leniently as others', async () => {
  const change = { unheardOf: true, sentAt: '1600030007' }
  const messages = withChanged(messagesFrom(30_000), 'm30007', change)
  const { data } = await full.importMessages({ body: { messages } })
  expect(data.m30007).toMatchObject({ success: true, data: { sentAt: 1_600_030_007 } })
})
