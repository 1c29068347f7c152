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
