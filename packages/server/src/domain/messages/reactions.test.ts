import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
await app.given.users('ann', 'bob', 'cyd')
await app.given.group('tea', {
  owner: 'ann',
  members: { moderators: ['cyd'], participants: ['bob'] },
})
const inTea = { receiverType: 'group' } as const

async function changesIn(id: string) {
  const { rows } = await sql<{ entry: number; conversation: number; reactions: number }>`
    select e.change as entry, c.change as conversation,
           (select count(*) from reactions r where r.bucket = e.bucket
              and r.conversation_key = e.conversation_key and r.seq = e.seq) as reactions
    from entries e join conversations c using (bucket, conversation_key)
    where e.id = ${Number(id)}`.execute(app.db)
  return rows[0]
}

const react = (onBehalfOf: string, id: string, reaction: string) =>
  full.addReaction({ params: { id, reaction }, onBehalfOf })
const takeBack = (onBehalfOf: string, id: string, reaction: string) =>
  full.removeReaction({ params: { id, reaction }, onBehalfOf })

describe('add and remove', () => {
  test('the message comes back with how many there are of each', async () => {
    const { id } = await message('ann', 'bob')
    await react('ann', id, '😀')
    const { data } = await react('bob', id, '😀')
    expect(data).toMatchObject({
      id,
      data: { text: 'hello', reactions: [{ reaction: '😀', count: 2, reactedByMe: true }] },
    })
    const seenByApp = (await full.getMessage({ params: { id } })).data.data.reactions
    expect(seenByApp).toEqual([{ reaction: '😀', count: 2 }])
    expect((await takeBack('bob', id, '😀')).data.data.reactions).toEqual([
      { reaction: '😀', count: 1 },
    ])
    expect((await takeBack('ann', id, '😀')).data.data).not.toHaveProperty('reactions')
    const names = (await app.events()).map(({ name }) => name).slice(-4)
    const added = 'message.reactionAdded'
    const removed = 'message.reactionRemoved'
    expect(names).toEqual([added, added, removed, removed])
  })

  test('twice is once, and what is not there is not missed', async () => {
    const { id } = await message('ann', 'bob')
    await react('bob', id, 'ok')
    const before = (await app.events()).length
    expect((await react('bob', id, 'ok')).data.data.reactions).toMatchObject([{ count: 1 }])
    expect((await takeBack('ann', id, 'ok')).data.data.reactions).toMatchObject([{ count: 1 }])
    expect(await app.events()).toHaveLength(before)
  })

  test('the reaction may stand in the body; any word will do', async () => {
    const { id } = await message('ann', 'bob')
    for (const reaction of ['__proto__', '+1/%', '👩‍👩‍👧‍👦']) {
      const { data } = await full.addReactionInBody({
        params: { id },
        onBehalfOf: 'bob',
        body: { reaction },
      })
      expect(data.data.reactions).toContainEqual({ reaction, count: 1, reactedByMe: true })
      expect((await takeBack('bob', id, reaction)).data.data).not.toHaveProperty('reactions')
    }
  })

  test('has at most 45 characters, however many bytes they take', async () => {
    const { id } = await message('ann', 'bob')
    await react('bob', id, '😀'.repeat(45))
    for (const reaction of ['😀'.repeat(46), 'a\nb']) {
      await expect(react('bob', id, reaction)).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        details: { reaction: [expect.any(String)] },
      })
    }
  })

  test('moves updatedAt and the change of the message, as an edit does', async () => {
    const { id } = await message('ann', 'bob')
    const before = (await full.getMessage({ params: { id } })).data
    const after = (await react('bob', id, 'ok')).data
    expect(after.updatedAt).toBeGreaterThanOrEqual(before.updatedAt)
    expect(after).not.toHaveProperty('editedAt')
    const { entry, conversation } = (await changesIn(id)) ?? {}
    expect(entry).toBeGreaterThan(0)
    expect(entry).toBe(conversation)
  })
})

describe('list', () => {
  test('who reacted, in order, page by page in both directions', async () => {
    const { id } = await message('ann', 'tea', inTea)
    await react('ann', id, 'a')
    await react('bob', id, 'b')
    await react('cyd', id, 'a')
    const list = (query: object) => full.listReactions({ params: { id }, query })
    const { data, meta } = await list({})
    expect(data).toMatchObject([
      { messageId: id, reaction: 'a', uid: 'ann', reactedBy: { uid: 'ann', name: 'ANN' } },
      { uid: 'bob', reaction: 'b', reactedAt: expect.any(Number) },
      { uid: 'cyd' },
    ])
    expect(meta).toEqual({ current: { limit: 100, count: 3 } })
    const first = await list({ limit: 2 })
    expect(first.meta.next).toEqual({ affix: 'append', id: data[1]?.id })
    const second = await list({ limit: 2, ...first.meta.next })
    expect(second.data.map(({ uid }) => uid)).toEqual(['cyd'])
    expect(second.meta).not.toHaveProperty('next')
    const last = await list({ limit: 2, affix: 'prepend' })
    expect(last.data.map(({ uid }) => uid)).toEqual(['bob', 'cyd'])
    const before = await list({ limit: 2, ...last.meta.next })
    expect(before.data.map(({ uid }) => uid)).toEqual(['ann'])
    const ofKind = await full.listReactionsOfKind({ params: { id, reaction: 'a' } })
    expect(ofKind.data.map(({ uid }) => uid)).toEqual(['ann', 'cyd'])
  })

  test('a scope may be denied it, or see only those of some scopes', async () => {
    const { id } = await message('ann', 'tea', inTea)
    for (const uid of ['ann', 'bob', 'cyd']) await react(uid, id, 'ok')
    const params = { guid: 'tea', scope: 'participant' } as const
    const set = (permissions: Record<string, string>) =>
      full.setScopePermissions({ params, body: { permissions } })
    await set({ 'listReactions.allowedScopes': 'moderator' })
    const { data } = await full.listReactions({ params: { id }, onBehalfOf: 'bob' })
    expect(data.map(({ uid }) => uid)).toEqual(['cyd'])
    await set({ listReactions: 'deny' })
    const denied = { code: 'ERR_PERMISSION_DENIED' }
    for (const call of listsAs('bob', id)) await expect(call()).rejects.toMatchObject(denied)
    await set({ listReactions: 'allow' })
  })
})

const listsAs = (onBehalfOf: string, id: string) => [
  () => full.listReactions({ params: { id }, onBehalfOf }),
  () => full.listReactionsOfKind({ params: { id, reaction: 'ok' }, onBehalfOf }),
]
const addsAs = (onBehalfOf: string, id: string) => [
  () => react(onBehalfOf, id, 'ok'),
  () => full.addReactionInBody({ params: { id }, onBehalfOf, body: { reaction: 'ok' } }),
]
const changesAs = (onBehalfOf: string, id: string) => [
  ...addsAs(onBehalfOf, id),
  () => takeBack(onBehalfOf, id, 'ok'),
]

async function expectAll(calls: (() => Promise<unknown>)[], code: string) {
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code })
}

describe('refused', () => {
  test('to strangers, to unknown users, and for messages that are not there', async () => {
    const { id } = await message('ann', 'bob')
    const all = (uid: string, of: string) => [...changesAs(uid, of), ...listsAs(uid, of)]
    await expectAll(all('cyd', id), 'ERR_MESSAGE_NO_ACCESS')
    await expectAll(all('nobody', id), 'ERR_UID_NOT_FOUND')
    await expectAll(all('ann', '1'), 'ERR_MESSAGE_ID_NOT_FOUND')
  })

  test('for action messages and deleted ones', async () => {
    const { id } = await message('ann', 'bob')
    const { data: action } = await full.deleteMessage({ params: { id } })
    await expectAll(changesAs('ann', action.id), 'ERR_MESSAGE_ACTION_NOT_ALLOWED')
    await expectAll(changesAs('ann', id), 'ERR_MESSAGE_ID_NOT_FOUND')
  })

  test('to a scope that may not, and between users who have blocked each other', async () => {
    const { id } = await message('ann', 'tea', inTea)
    const params = { guid: 'tea', scope: 'participant' } as const
    await full.setScopePermissions({ params, body: { permissions: { addReaction: 'deny' } } })
    await expectAll(addsAs('bob', id), 'ERR_PERMISSION_DENIED')
    await react('cyd', id, 'ok')
    const { id: between } = await message('cyd', 'bob')
    await react('bob', between, 'ok')
    await full.blockUsers({ params: { uid: 'cyd' }, body: { blockedUids: ['bob'] } })
    await expectAll(addsAs('cyd', between), 'ERR_BLOCKED_RECEIVER')
    await expectAll(addsAs('bob', between), 'ERR_BLOCKED_SENDER')
    await takeBack('bob', between, 'ok')
  })
})

test('a message that is deleted for ever leaves no reaction behind', async () => {
  const { id } = await message('ann', 'bob')
  await react('bob', id, 'ok')
  await full.deleteMessage({ params: { id }, body: { permanent: true } })
  expect(await changesIn(id)).toMatchObject({ reactions: 0 })
})
