import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

// Without a shadow, which would not know a number for one of its messages.
const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
await app.given.users('ann', 'bob', 'cid')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob'] } })
const said = await app.given.message('ann', 'bob')
const inTea = await app.given.message('ann', 'tea', { receiverType: 'group' })

/** A send that names its parent, as client SDKs do it. */
async function send(parentId: string | number, more: object = {}, onBehalfOf = 'bob') {
  const body = { parentId, data: { text: 'an answer' }, ...more }
  const { data } = await full.sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('One receiver, one message.')
  return data
}

test('a message with parentId is a reply, in the thread of its parent', async () => {
  const answer = await send(said.id, { receiver: 'ann', receiverType: 'user' })
  expect(answer).toMatchObject({ parentId: said.id, receiver: 'ann' })
  const inGroup = await send(Number(inTea.id))
  expect(inGroup).toMatchObject({ parentId: inTea.id, receiver: 'tea', receiverType: 'group' })
  const parent = await full.getMessage({ params: { id: said.id } })
  expect(parent.data).toMatchObject({ replyCount: 1 })
})

test('it obeys the rules of a reply', async () => {
  const reply = await send(said.id)
  const refused: [() => Promise<unknown>, string][] = [
    [() => send(reply.id), 'ERR_MESSAGE_THREAD_NESTING'],
    [() => send(said.id, { receiver: 'cid', receiverType: 'user' }), 'ERR_WRONG_MESSAGE_THREAD'],
    [() => send(said.id, { multipleReceivers: { uids: ['cid'] } }), 'ERR_WRONG_MESSAGE_THREAD'],
    [() => send(said.id, {}, 'cid'), 'ERR_MESSAGE_NO_ACCESS'],
    [() => send(999_999_999), 'ERR_MESSAGE_ID_NOT_FOUND'],
  ]
  for (const [call, code] of refused) await expect(call()).rejects.toMatchObject({ code })
  const edit = { params: { id: said.id }, onBehalfOf: 'ann', body: { data: { text: 'new' } } }
  const { data: action } = await full.editMessage(edit)
  await expect(send(action.id)).rejects.toMatchObject({
    code: 'ERR_WRONG_MESSAGE_THREAD_CATEGORY',
  })
})

test('somebody must say it, and a role may be denied it', async () => {
  const body = { parentId: said.id, data: { text: 'who?' } }
  await expect(full.sendMessage({ body })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
    details: { onBehalfOf: [expect.any(String)] },
  })
  await full.restrictFeatures({
    params: { role: 'default' },
    body: { featuresToRestrict: ['u.createMessageThread'] },
  })
  await expect(send(said.id)).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
})

const media = async (data: Record<string, unknown>) => {
  const { data: message } = await full.sendMessage({
    onBehalfOf: 'ann',
    body: { receiver: 'bob', receiverType: 'user', type: 'image', data },
  })
  return 'data' in message ? message.data : undefined
}

test('media by url alone have one attachment', async () => {
  const url = 'https://x.example/files/cat.png?v=2'
  const attachments = [{ url, name: 'cat.png', extension: 'png' }]
  expect(await media({ url })).toMatchObject({ url, attachments })
  expect(await media({ url, attachments: [] })).toMatchObject({ url, attachments })
  await expect(media({ url: 'javascript:alert(1)' })).rejects.toMatchObject({
    code: 'ERR_EMPTY_MESSAGE_FILE',
  })
})

test('a size in a word is none; a number that is no size is refused', async () => {
  const url = 'https://x.example/a.png'
  expect(await media({ attachments: [{ url, size: 'unknown' }] })).toMatchObject({
    attachments: [{ url }],
  })
  const { attachments } = (await media({ attachments: [{ url, size: 100 }] })) ?? {}
  expect(attachments).toEqual([{ url, size: '100' }])
  await expect(media({ attachments: [{ url, size: 10.5 }] })).rejects.toMatchObject({
    code: 'ERR_INVALID_MEDIA_MESSAGE',
  })
})

test('an empty multipleReceivers beside a receiver is none', async () => {
  const data = { text: 'one' }
  const multipleReceivers = { uids: [], guids: [] }
  const body = { receiver: 'bob', receiverType: 'user', data, multipleReceivers } as const
  const sent = await full.sendMessage({ onBehalfOf: 'ann', body: { ...body, multipleReceivers } })
  expect(sent.data).toMatchObject({ receiver: 'bob', data })
})

test('the app deletes a conversation by its id, for all', async () => {
  const remove = (conversationId: string) => full.deleteConversation({ params: { conversationId } })
  for (const label of ['ann_user_bob', 'GROUP_tea']) {
    expect((await remove(label)).data).toMatchObject({ success: true })
  }
  expect((await full.listConversations({ onBehalfOf: 'ann' })).data).toEqual([])
  expect((await full.listConversations({ onBehalfOf: 'bob' })).data).toEqual([])
  for (const label of ['group_nothing', 'ann_user_nobody', 'x']) {
    await expect(remove(label)).rejects.toMatchObject({ code: 'ERR_CONVERSATION_NOT_FOUND' })
  }
})
