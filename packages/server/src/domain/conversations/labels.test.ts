import { afterAll, expect, test } from 'vitest'
import { say } from '../../../../testing/src/data/log-builder.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { getConversation, getGroupConversation, getUserConversation, listConversations } =
  app.as('full')

const textsOf = async (onBehalfOf: string) =>
  (await listConversations({ onBehalfOf })).data.map(({ lastMessage }) => lastMessage?.data.text)
const textOf = async (uid: string, onBehalfOf: string) =>
  (await getUserConversation({ params: { uid }, onBehalfOf })).data[0]?.lastMessage?.data.text
const byId = async (conversationId: string, onBehalfOf: string) =>
  (await getConversation({ params: { conversationId }, onBehalfOf })).data[0]?.lastMessage?.data
    .text

test('two pairs of users whose ids are joined to the same label never share a conversation', async () => {
  await app.given.users('a', 'b_user_c', 'a_user_b', 'c')
  const one = await say(app, { from: 'a', to: 'b_user_c', text: 'one' })
  const two = await say(app, { from: 'a_user_b', to: 'c', text: 'two' })
  const label = 'a_user_b_user_c'
  expect([one.conversationId, two.conversationId]).toEqual([label, label])
  expect(await textsOf('a')).toEqual(['one'])
  expect(await textsOf('b_user_c')).toEqual(['one'])
  expect(await textsOf('a_user_b')).toEqual(['two'])
  expect(await textsOf('c')).toEqual(['two'])
  for (const uid of ['a', 'b_user_c']) expect(await byId(label, uid)).toBe('one')
  for (const uid of ['a_user_b', 'c']) expect(await byId(label, uid)).toBe('two')
  for (const [uid, viewer] of [
    ['c', 'a'],
    ['a', 'c'],
    ['a_user_b', 'a'],
    ['b_user_c', 'a_user_b'],
  ] as const) {
    await expect(textOf(uid, viewer)).rejects.toMatchObject({
      code: 'ERR_CONVERSATION_NOT_ACCESSIBLE',
    })
  }
})

test('a group and two users whose ids are joined to the same label do not share one either', async () => {
  await app.given.users('group_a', 'b', 'z')
  for (const other of ['b', 'z']) {
    const guid = `a_user_${other}`
    await app.given.group(guid, { owner: 'b', members: { participants: ['z'] } })
    await say(app, { from: 'group_a', to: other, text: `between us and ${other}` })
    await say(app, { from: 'b', group: guid, text: `in ${guid}` })
  }
  // `b` comes before `group_a`, so only with `z` the labels are the same.
  expect(await byId('b_user_group_a', 'group_a')).toBe('between us and b')
  expect(await byId('group_a_user_z', 'group_a')).toBe('between us and z')
  expect(await byId('group_a_user_z', 'b')).toBe('in a_user_z')
  expect(await byId('group_a_user_b', 'b')).toBe('in a_user_b')
  expect(await textsOf('group_a')).toHaveLength(2)
  expect((await textsOf('group_a')).toSorted()).toEqual(['between us and b', 'between us and z'])
})

test('who is in both reaches each by its own address', async () => {
  const inGroup = await getGroupConversation({ params: { guid: 'a_user_z' }, onBehalfOf: 'z' })
  expect(inGroup.data[0]?.lastMessage?.data.text).toBe('in a_user_z')
  expect(await textOf('group_a', 'z')).toBe('between us and z')
  expect((await textsOf('z')).toSorted()).toEqual([
    'between us and z',
    'in a_user_b',
    'in a_user_z',
  ])
})

test('L5: for who is in both, the label means the conversation with the user', async () => {
  const params = { guid: 'a_user_z' }
  expect(await byId('group_a_user_z', 'z')).toBe('between us and z')
  const { data } = await app
    .as('full')
    .listMessages({ onBehalfOf: 'z', query: { conversationId: 'group_a_user_z' } })
  expect(data.flatMap((one) => ('data' in one ? one.data.text : []))).toEqual(['between us and z'])
  const inGroup = await getGroupConversation({ params, onBehalfOf: 'z' })
  expect(inGroup.data[0]?.lastMessage?.data.text).toBe('in a_user_z')
})

test('a user whose id is made of their own label finds their conversations', async () => {
  await app.given.users('x', 'x_user_x')
  await say(app, { from: 'x', to: 'x_user_x', text: 'echo' })
  expect(await byId('x_user_x_user_x', 'x')).toBe('echo')
  expect(await byId('x_user_x_user_x', 'x_user_x')).toBe('echo')
  await expect(byId('x_user_x', 'x')).rejects.toMatchObject({ code: 'ERR_CONVERSATION_NOT_FOUND' })
})
