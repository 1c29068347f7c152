import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const calls = app.as('full')
await app.given.users('ann', 'bob', 'eve')
await calls.createGroup({ body: { guid: 'tea', name: 'Tea', type: 'public', owner: 'ann' } })

async function say(body: object): Promise<string> {
  const to = { receiver: 'bob', receiverType: 'user', data: { text: 'hi' } } as const
  const { data } = await calls.sendMessage({ onBehalfOf: 'ann', body: { ...to, ...body } })
  if (!('id' in data)) throw new Error('Several answers.')
  return data.id
}
const id = await say({})
const params = { id }
for (const text of ['one', 'two', 'three']) {
  await calls.replyToMessage({ params, body: { data: { text } }, onBehalfOf: 'bob' })
}

test('replies are listed in order, page by page, for who can see the message', async () => {
  const textsOf = ({ data }: { data: readonly unknown[] }) =>
    data.map((row) => (row as { data: { text: string } }).data.text)
  const last = await calls.listReplies({ params, query: { limit: 2 }, onBehalfOf: 'ann' })
  expect(textsOf(last)).toEqual(['two', 'three'])
  const query = { limit: 2, id: last.meta.previous?.id ?? '' }
  const first = await calls.listReplies({ params, query })
  expect(textsOf(first)).toEqual(['one'])
  expect(first.meta.previous).toBeUndefined()
  const inside = await calls.listUserMessages({
    params: { uid: 'bob' },
    query: { hideReplies: true },
    onBehalfOf: 'ann',
  })
  expect(inside.data).toMatchObject([{ id, replyCount: 3 }])
})

const lists = {
  listMessages: (onBehalfOf?: string) => calls.listMessages({ ...(onBehalfOf && { onBehalfOf }) }),
  listUserMessages: (onBehalfOf?: string) =>
    calls.listUserMessages({ params: { uid: 'bob' }, ...(onBehalfOf && { onBehalfOf }) }),
  listGroupMessages: (onBehalfOf?: string) =>
    calls.listGroupMessages({ params: { guid: 'tea' }, ...(onBehalfOf && { onBehalfOf }) }),
  listReplies: (onBehalfOf?: string) =>
    calls.listReplies({ params, ...(onBehalfOf && { onBehalfOf }) }),
}

test.each(Object.entries(lists))(
  '%s is refused to nobody, and to a role without it',
  async (_, list) => {
    await expect(list('nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
    const features = ['listMessages', 'getUserMessages', 'getGroupMessages', 'listThreadedMessages']
    const role = { role: 'default' }
    await calls.restrictFeatures({ params: role, body: { featuresToRestrict: features } })
    await expect(list('ann')).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    await calls.allowFeatures({ params: role, body: { featuresToAllow: features } })
    await list('ann')
  },
)

test('a thread is refused to who cannot see the message, and where there is none', async () => {
  const stranger = lists.listReplies('eve')
  await expect(stranger).rejects.toMatchObject({ code: 'ERR_MESSAGE_NO_ACCESS' })
  const nothing = calls.listReplies({ params: { id: '640' } })
  await expect(nothing).rejects.toMatchObject({ code: 'ERR_MESSAGE_ID_NOT_FOUND' })
})
