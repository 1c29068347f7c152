import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd', 'dan')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob', 'cyd', 'dan'] } })
const inTea = { receiverType: 'group' } as const
const params = { guid: 'tea' }

const read = (onBehalfOf: string, messageId?: string) => {
  now++
  const body = messageId === undefined ? {} : { messageId }
  return full.markGroupConversationRead({ params, onBehalfOf, body })
}
const deliver = (onBehalfOf: string) => {
  now++
  return full.markGroupConversationDelivered({ params, onBehalfOf })
}
const receiptsOf = async (id: string, query: object = {}) =>
  full.listReceipts({ params: { id }, query })

test('who it has reached and who has read it, and when first', async () => {
  const { id } = await message('ann', 'tea', inTea)
  expect((await receiptsOf(id)).data).toEqual([])
  await deliver('bob')
  const deliveredAt = now
  await read('bob')
  const readAt = now
  await read('cyd')
  await read('ann')
  expect((await receiptsOf(id)).data).toEqual([
    { messageId: id, uid: 'bob', deliveredAt, readAt },
    { messageId: id, uid: 'cyd', deliveredAt: now - 1, readAt: now - 1 },
  ])
  const { id: later } = await message('ann', 'tea', inTea)
  await deliver('dan')
  expect((await receiptsOf(later)).data).toEqual([
    { messageId: later, uid: 'dan', deliveredAt: now },
  ])
})

test('what was read, marked unread and read again was read at first', async () => {
  const { id: first } = await message('ann', 'tea', inTea)
  const { id: second } = await message('ann', 'tea', inTea)
  const { id: third } = await message('ann', 'tea', inTea)
  await read('bob')
  const readAt = now
  const back = { params, onBehalfOf: 'bob', body: { messageId: first } }
  await full.markGroupConversationUnread(back)
  await read('bob', second)
  const { id: fourth } = await message('ann', 'tea', inTea)
  await read('bob')
  for (const id of [first, second, third]) {
    expect((await receiptsOf(id)).data).toMatchObject([{ uid: 'bob', readAt }])
  }
  expect((await receiptsOf(fourth)).data).toMatchObject([{ uid: 'bob', readAt: now }])
})

test('page by page', async () => {
  const { id } = await message('ann', 'tea', inTea)
  for (const uid of ['bob', 'cyd', 'dan']) await read(uid)
  const { data, meta } = await receiptsOf(id, { limit: 2 })
  expect(data.map(({ uid }) => uid)).toEqual(['bob', 'cyd'])
  expect(meta).toEqual({ current: { limit: 2, count: 2 }, next: { affix: 'append', uid: 'cyd' } })
  const rest = await receiptsOf(id, { limit: 2, uid: meta.next?.uid })
  expect(rest.data.map(({ uid }) => uid)).toEqual(['dan'])
  expect(rest.meta).toEqual({ current: { limit: 2, count: 1 } })
})

test('is for those who see the message', async () => {
  const { id } = await message('ann', 'bob')
  const list = (of: string, onBehalfOf: string) =>
    full.listReceipts({ params: { id: of }, onBehalfOf })
  expect((await list(id, 'bob')).data).toEqual([])
  await expect(list(id, 'cyd')).rejects.toMatchObject({ code: 'ERR_MESSAGE_NO_ACCESS' })
  await expect(list(id, 'nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  await expect(list('1', 'ann')).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
})
