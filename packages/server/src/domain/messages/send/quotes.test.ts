import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd')
const notFound = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }

test('a message shows what it quotes, without what that one quotes', async () => {
  const { id } = await message('ann', 'bob', { data: { text: 'first' } })
  const second = await message('bob', 'ann', { quotedMessageId: id })
  expect(second).toMatchObject({
    quotedMessageId: id,
    quotedMessage: { id, data: { text: 'first' } },
  })
  const third = await message('ann', 'bob', { quotedMessageId: second.id })
  expect(third.quotedMessage).toMatchObject({ id: second.id })
  expect(third.quotedMessage).not.toHaveProperty('quotedMessage')
  const reply = await full.replyToMessage({
    params: { id },
    onBehalfOf: 'bob',
    body: { data: { text: 'and so' }, quotedMessageId: second.id },
  })
  expect(reply.data).toMatchObject({ parentId: id, quotedMessageId: second.id })
})

test('what is elsewhere, deleted or hidden cannot be quoted', async () => {
  const { id: elsewhere } = await message('ann', 'cyd')
  const { id: deleted } = await message('ann', 'bob')
  await full.deleteMessage({ params: { id: deleted } })
  for (const quotedMessageId of [elsewhere, deleted, '1']) {
    await expect(message('ann', 'bob', { quotedMessageId })).rejects.toMatchObject(notFound)
  }
  const body = {
    receiver: 'bob',
    receiverType: 'user',
    data: { text: 'hello' },
    quotedMessageId: elsewhere,
  } as const
  const asBot = full.sendBotMessage({ params: { uid: 'ann' }, body })
  await expect(asBot).rejects.toMatchObject(notFound)
  const { id: hidden } = await message('ann', 'bob')
  await full.resetUserConversation({ params: { uid: 'ann' }, onBehalfOf: 'bob' })
  await expect(message('bob', 'ann', { quotedMessageId: hidden })).rejects.toMatchObject(notFound)
  await message('ann', 'bob', { quotedMessageId: hidden })
})
