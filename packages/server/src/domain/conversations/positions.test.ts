import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../../../../testing/src/data/log-builder.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  getGroupConversation,
  getUserConversation,
  markGroupConversationDelivered,
  markGroupConversationRead,
  markGroupConversationUnread,
  markUserConversationDelivered,
  markUserConversationRead,
  markUserConversationUnread,
  resetUserConversation,
} = app.as('full')

const refusal = (code: string, status?: number) => ({ code, ...(status && { status }) })
const by = (uid: string, onBehalfOf: string) => ({ params: { uid }, onBehalfOf })
const at = (messageId: string | undefined) => ({ body: { messageId: messageId ?? '' } })
const unread = async (uid: string, onBehalfOf: string) =>
  (await getUserConversation(by(uid, onBehalfOf))).data[0]?.unreadMessageCount
const unreadIn = async (guid: string, onBehalfOf: string) =>
  (await getGroupConversation({ params: { guid }, onBehalfOf })).data[0]?.unreadMessageCount

/** What `bob` wrote to `ann`, and in the group: ten messages each. */
const toAnn: string[] = []
const toGroup: string[] = []

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid', 'outsider')
  await app.given.group('pub', { owner: 'ann', members: { participants: ['bob'] } })
  for (let n = 1; n <= 10; n++) {
    toAnn.push((await say(app, { from: 'bob', to: 'ann', text: `${n}` })).id)
    toGroup.push((await say(app, { from: 'bob', group: 'pub', text: `${n}` })).id)
  }
})

describe('with a user', () => {
  test('read up to a message leaves what comes behind it', async () => {
    expect(await unread('bob', 'ann')).toBe('10')
    const { data } = await markUserConversationRead({ ...by('bob', 'ann'), ...at(toAnn[2]) })
    expect(data).toEqual({
      success: true,
      message: expect.any(String),
      Message: expect.any(String),
    })
    expect(await unread('bob', 'ann')).toBe('7')
  })

  test('read never goes back', async () => {
    await markUserConversationRead({ ...by('bob', 'ann'), ...at(toAnn[0]) })
    expect(await unread('bob', 'ann')).toBe('7')
  })

  test('read without a message is everything', async () => {
    await markUserConversationRead(by('bob', 'ann'))
    expect(await unread('bob', 'ann')).toBe('0')
  })

  test('unread behind the 5th of 10 counts 5', async () => {
    await markUserConversationUnread({ ...by('bob', 'ann'), ...at(toAnn[4]) })
    expect(await unread('bob', 'ann')).toBe('5')
  })

  test('unread wants a message', async () => {
    // Missing on purpose, past the types.
    const nothing = { ...by('bob', 'ann'), body: {} } as ReturnType<typeof by> &
      ReturnType<typeof at>
    await expect(markUserConversationUnread(nothing)).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      details: { messageId: [expect.any(String)] },
    })
  })

  test('own messages are never unread, wherever the mark is', async () => {
    const mine = await say(app, { from: 'ann', to: 'bob', text: 'mine' })
    expect(await unread('bob', 'ann')).toBe('5')
    const last = await say(app, { from: 'bob', to: 'ann', text: 'last' })
    expect(await unread('bob', 'ann')).toBe('6')
    await markUserConversationRead({ ...by('bob', 'ann'), ...at(mine.id) })
    expect(await unread('bob', 'ann')).toBe('1')
    await markUserConversationUnread({ ...by('bob', 'ann'), ...at(toAnn[8]) })
    expect(await unread('bob', 'ann')).toBe('2')
    await markUserConversationRead({ ...by('bob', 'ann'), ...at(last.id) })
    expect(await unread('bob', 'ann')).toBe('0')
    expect(await unread('ann', 'bob')).toBe('1')
  })

  test('delivered is no sign of reading, but reading is one of delivery', async () => {
    const next = await say(app, { from: 'bob', to: 'ann', text: 'next' })
    await markUserConversationDelivered({ ...by('bob', 'ann'), ...at(next.id) })
    expect(await unread('bob', 'ann')).toBe('1')
    expect((await app.events()).at(-1)).toMatchObject({ name: 'conversation.delivered' })
    await markUserConversationRead(by('bob', 'ann'))
    expect((await app.events()).at(-1)).toMatchObject({ name: 'conversation.read' })
    const before = (await app.events()).length
    await markUserConversationDelivered(by('bob', 'ann'))
    expect(await app.events()).toHaveLength(before)
  })

  test('each move forward is remembered with its time, once', async () => {
    const { rows } = await sql<{ kind: string; n: number }>`
      select kind, count(*) as n from position_moves
      where app_id = ${app.appId} and uid = 'ann' group by kind order by kind`.execute(app.db)
    expect(rows).toEqual([
      { kind: 'delivered', n: 1 },
      { kind: 'read', n: 5 },
    ])
  })

  test('what a reset hides cannot be marked, so it does not count again', async () => {
    await resetUserConversation(by('bob', 'ann'))
    await say(app, { from: 'bob', to: 'ann', text: 'after' })
    expect(await unread('bob', 'ann')).toBe('1')
    await expect(
      markUserConversationUnread({ ...by('bob', 'ann'), ...at(toAnn[0]) }),
    ).rejects.toMatchObject(refusal('ERR_MESSAGE_ID_NOT_FOUND'))
    expect(await unread('bob', 'ann')).toBe('1')
  })
})

describe('in a group', () => {
  const pub = (onBehalfOf: string) => ({ params: { guid: 'pub' }, onBehalfOf })

  test('each member has their own position', async () => {
    await addMembers({ params: { guid: 'pub' }, onBehalfOf: 'cid' })
    expect(await unreadIn('pub', 'cid')).toBe('0')
    // Ten messages, and the actions that brought bob and cid.
    expect(await unreadIn('pub', 'ann')).toBe('12')
    await markGroupConversationRead({ ...pub('ann'), ...at(toGroup[2]) })
    expect(await unreadIn('pub', 'ann')).toBe('8')
    await markGroupConversationDelivered(pub('ann'))
    expect(await unreadIn('pub', 'ann')).toBe('8')
    await markGroupConversationUnread({ ...pub('ann'), ...at(toGroup[4]) })
    expect(await unreadIn('pub', 'ann')).toBe('6')
    await markGroupConversationRead(pub('ann'))
    expect(await unreadIn('pub', 'ann')).toBe('0')
    expect(await unreadIn('pub', 'cid')).toBe('0')
    expect(await unreadIn('pub', 'bob')).toBe('1')
  })
})

type Mark = (input: {
  params: { uid: string; guid: string }
  onBehalfOf: string
  body: { messageId: string }
}) => Promise<unknown>

const marksOf = (client: Client<Api>): [string, Mark][] => [
  ['user', client.markUserConversationDelivered],
  ['user', client.markUserConversationRead],
  ['user', client.markUserConversationUnread],
  ['group', client.markGroupConversationDelivered],
  ['group', client.markGroupConversationRead],
  ['group', client.markGroupConversationUnread],
]

test('every mark is refused for what does not exist and to whom it does not concern', async () => {
  for (const [kind, mark] of marksOf(app.as('full'))) {
    const call = (change: { uid?: string; guid?: string; as?: string; id?: string | undefined }) =>
      mark({
        params: { uid: change.uid ?? 'bob', guid: change.guid ?? 'pub' },
        onBehalfOf: change.as ?? 'ann',
        body: { messageId: change.id ?? toGroup[0] ?? '' },
      })
    await expect(call({ as: 'nobody' })).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND', 404))
    await expect(call({ as: 'outsider' })).rejects.toMatchObject(
      refusal('ERR_CONVERSATION_NOT_ACCESSIBLE', 403),
    )
    // Of another conversation, and of none.
    const others = kind === 'group' ? toAnn[0] : toGroup[0]
    for (const id of [others, '1', '9999999999999999']) {
      await expect(call({ id })).rejects.toMatchObject(refusal('ERR_MESSAGE_ID_NOT_FOUND', 404))
    }
    for (const id of ['0', '-1', 'x', '12345678901234567']) {
      await expect(call({ id })).rejects.toMatchObject(refusal('ERR_BAD_REQUEST', 400))
    }
    await expect(
      call(kind === 'group' ? { guid: 'nothing' } : { uid: 'nobody' }),
    ).rejects.toMatchObject(
      refusal(kind === 'group' ? 'ERR_GUID_NOT_FOUND' : 'ERR_UID_NOT_FOUND', 404),
    )
  }
})

test('a message id may be a number, as far as numbers are exact', async () => {
  await using other = await startTestApp({ shadow: false })
  await other.given.users('ann', 'bob')
  const { id } = await say(other, { from: 'bob', to: 'ann', text: 'x' })
  const read = (messageId: number) =>
    other.as('full').markUserConversationRead({ ...by('bob', 'ann'), body: { messageId } })
  await read(Number(id))
  const { data } = await other.as('full').getUserConversation(by('bob', 'ann'))
  expect(data[0]?.unreadMessageCount).toBe('0')
  for (const messageId of [0, 1.5, 1e300, Number.MAX_SAFE_INTEGER + 1]) {
    await expect(read(messageId)).rejects.toMatchObject(refusal('ERR_BAD_REQUEST'))
  }
})

test('readers and writers of the same moment end with exact counts', async () => {
  await using busy = await startTestApp({ shadow: false })
  await busy.given.users('ann', 'bob')
  await say(busy, { from: 'bob', to: 'ann', text: 'first' })
  const client = busy.as('full')
  const turns = Array.from({ length: 40 }, (_, n) => n)
  await Promise.all([
    ...turns.map((n) =>
      say(busy, { from: n % 2 ? 'ann' : 'bob', to: n % 2 ? 'bob' : 'ann', text: 'x' }),
    ),
    ...turns.map((n) =>
      client.markUserConversationRead(by(n % 2 ? 'ann' : 'bob', n % 2 ? 'bob' : 'ann')),
    ),
  ])
  for (const [one, other] of [
    ['ann', 'bob'],
    ['bob', 'ann'],
  ] as const) {
    await client.markUserConversationRead(by(one, other))
    const { data } = await client.getUserConversation(by(one, other))
    expect(data[0]?.unreadMessageCount).toBe('0')
  }
  await say(busy, { from: 'ann', to: 'bob', text: 'x' })
  const { data } = await client.getUserConversation(by('ann', 'bob'))
  expect(data[0]?.unreadMessageCount).toBe('1')
})
