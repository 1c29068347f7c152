import type { Message } from '@chorale/contract/conversations'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')

const failed = (code: string) =>
  expect.objectContaining({ success: false, error: expect.objectContaining({ code }) })
const at = (seconds: number) => 1_600_000_000 + seconds

const ida = { uid: 'ida', name: 'Ida', createdAt: at(0), metadata: { plan: 'gold' }, tags: ['a'] }
const jon = { uid: 'jon', name: 'Jon', createdAt: at(1) }

describe('users', () => {
  test('are stored with their times, also those who are gone, and no event tells of them', async () => {
    const kim = { uid: 'kim', name: 'Kim', lastActiveAt: at(50), deactivatedAt: at(60) }
    const { data } = await full.importUsers({ body: { users: { Ida: ida, jon, kim } } })
    expect(data).toEqual({
      Ida: { success: true, data: expect.objectContaining(ida) },
      jon: { success: true, data: expect.objectContaining({ createdAt: at(1) }) },
      kim: { success: true, data: expect.objectContaining({ lastActiveAt: at(50) }) },
    })
    expect((await full.getUser({ params: { uid: 'ida' } })).data).toMatchObject(ida)
    await expect(full.getUser({ params: { uid: 'kim' } })).rejects.toMatchObject({ status: 404 })
    expect(await app.events()).toEqual([])
  })

  test('of an earlier import are answered as stored, and refused where they differ', async () => {
    const users = {
      ida,
      jon: { ...jon, name: 'John' },
      lea: { uid: 'lea', name: 'Lea', role: 'unheard-of' },
      max: { uid: 'other', name: 'Max' },
    }
    const { data } = await full.importUsers({ body: { users } })
    expect(data).toEqual({
      ida: { success: true, data: expect.objectContaining(ida) },
      jon: failed('ERR_UID_ALREADY_EXISTS'),
      lea: failed('ERR_BAD_REQUEST'),
      max: failed('ERR_BAD_REQUEST'),
    })
    expect((await full.getUser({ params: { uid: 'jon' } })).data.name).toBe('Jon')
  })
})

test('with update, users, groups and members become what the call says', async () => {
  const group = { guid: 'news', name: 'News', type: 'public', owner: 'ida' } as const
  await full.importGroups({ body: { groups: { news: group } } })
  await full.importMembers({ body: { members: member('news', 'jon') } })
  const users = { jon: { ...jon, name: 'Johnny', metadata: { plan: 'free' } } }
  expect((await full.importUsers({ body: { users, update: true } })).data.jon).toMatchObject({
    success: true,
    data: { name: 'Johnny', createdAt: at(1) },
  })
  const groups = { news: { ...group, description: 'Daily' } }
  expect((await full.importGroups({ body: { groups, update: true } })).data.news).toMatchObject({
    success: true,
    data: { description: 'Daily' },
  })
  const members = member('news', 'jon', { scope: 'moderator' })
  const { data } = await full.importMembers({ body: { members, update: true } })
  expect(data.news_member_jon?.data).toMatchObject({ scope: 'moderator' })
  const listed = await full.listMembers({ params: { guid: 'news' }, query: {} })
  expect(listed.data.map(({ uid, scope }) => [uid, scope])).toContainEqual(['jon', 'moderator'])
  await full.importUsers({ body: { users: { jon }, update: true } })
})

test('users keep the auth tokens of their devices; nobody gets one of another', async () => {
  const authTokens = ['tia_1600000000abcdef0123']
  const tia = { uid: 'tia', name: 'Tia', authTokens }
  const tom = { uid: 'tom', name: 'Tom', authTokens }
  const { data } = await full.importUsers({ body: { users: { tia, tom } } })
  expect(data.tom).toEqual(failed('ERR_BAD_REQUEST'))
  expect(data.tia).toEqual({
    success: true,
    data: expect.not.objectContaining({ authTokens: expect.anything() }),
  })
  await full.importUsers({ body: { users: { tia } } })
  const answer = await fetch(`${app.origin}/v3/me`, {
    headers: { appId: app.appId, authToken: authTokens[0] ?? '' },
  })
  expect(await answer.json()).toMatchObject({ data: { uid: 'tia' } })
})

const club = {
  guid: 'club',
  name: 'Club',
  type: 'public',
  owner: 'ida',
  createdAt: at(10),
} as const

describe('groups', () => {
  test('are stored with their owner, who can be created with them', async () => {
    const groupOwnerDetails = { uid: 'own', name: 'Owner' }
    const safe = { guid: 'safe', name: 'Safe', type: 'password', owner: 'own' } as const
    const { data } = await full.importGroups({
      body: {
        groups: {
          club,
          safe: { ...safe, password: 'correct horse', groupOwnerDetails },
          open: { ...safe, guid: 'open' },
          lost: { ...club, guid: 'lost', owner: 'nobody' },
        },
      },
    })
    expect(data).toEqual({
      club: { success: true, data: expect.objectContaining({ ...club, membersCount: 1 }) },
      safe: { success: true, data: expect.objectContaining({ guid: 'safe', owner: 'own' }) },
      open: failed('ERR_EMPTY_GROUP_PASS'),
      lost: failed('ERR_UID_NOT_FOUND'),
    })
    const join = (password: string) =>
      full.addMembers({ params: { guid: 'safe' }, onBehalfOf: 'jon', body: { password } })
    await expect(join('wrong')).rejects.toMatchObject({ code: 'ERR_WRONG_GROUP_PASS' })
    await join('correct horse')
    expect((await full.getGroup({ params: { guid: 'safe' } })).data.membersCount).toBe(2)
  })

  test('of an earlier import are answered as stored, and refused where they differ', async () => {
    const again = await full.importGroups({ body: { groups: { club } } })
    expect(again.data.club?.success).toBe(true)
    const other = await full.importGroups({ body: { groups: { club: { ...club, name: 'Pub' } } } })
    expect(other.data).toEqual({ club: failed('ERR_GUID_ALREADY_EXISTS') })
  })
})

const member = (guid: string, uid: string, rest = {}) => ({
  [`${guid}_member_${uid}`]: { memberId: `${guid}_member_${uid}`, guid, uid, ...rest },
})

describe('members', () => {
  test('join at their time, without a word in the group; banned users stay out', async () => {
    const members = {
      ...member('club', 'jon', { scope: 'moderator', joinedAt: at(20) }),
      ...member('club', 'new', { userDetails: { uid: 'new', name: 'New' } }),
      ...member('club', 'own', { isBanned: true }),
      ...member('club', 'nobody'),
      ...member('nowhere', 'jon'),
      ...member('hall', 'jon', {
        groupDetails: { ...club, guid: 'hall' },
        joinedAt: at(5),
      }),
    }
    const { data } = await full.importMembers({ body: { members } })
    expect(data).toEqual({
      club_member_jon: {
        success: true,
        data: { guid: 'club', uid: 'jon', scope: 'moderator', joinedAt: at(20) },
      },
      club_member_new: { success: true, data: expect.objectContaining({ joinedAt: at(10) }) },
      club_member_own: { success: true, data: expect.any(Object) },
      club_member_nobody: failed('ERR_UID_NOT_FOUND'),
      nowhere_member_jon: failed('ERR_GUID_NOT_FOUND'),
      hall_member_jon: failed('ERR_IMPORT_INVALID_JOINEDAT'),
    })
    const listed = await full.listMembers({ params: { guid: 'club' } })
    expect(listed.data.map(({ uid, scope, joinedAt }) => [uid, scope, joinedAt])).toEqual(
      expect.arrayContaining([
        ['ida', 'admin', at(10)],
        ['jon', 'moderator', at(20)],
        ['new', 'participant', at(10)],
      ]),
    )
    expect((await full.getGroup({ params: { guid: 'club' } })).data.membersCount).toBe(3)
    const banned = await full.listBannedUsers({ params: { guid: 'club' } })
    expect(banned.data.map(({ uid }) => uid)).toEqual(['own'])
    const history = await full.listGroupMessages({ params: { guid: 'club' }, query: {} })
    expect(history.data).toEqual([])
  })

  test('of an earlier import are answered as stored, and refused where they differ', async () => {
    const again = (scope: string) =>
      full.importMembers({
        body: { members: member('club', 'jon', { scope, joinedAt: at(20) }) },
      })
    expect((await again('moderator')).data.club_member_jon?.success).toBe(true)
    expect((await again('admin')).data).toEqual({ club_member_jon: failed('ERR_ALREADY_JOINED') })
  })
})

/** Nobody has left the group, and nothing but messages is in the log. */
const messagesIn = ({ data }: { readonly data: readonly unknown[] }) => data as readonly Message[]

const message = (muid: string, seconds: number, rest = {}) => ({
  [muid]: {
    muid,
    sender: 'ida',
    receiverType: 'user' as const,
    receiver: 'jon',
    sentAt: at(seconds),
    data: { text: muid },
    ...rest,
  },
})

describe('messages', () => {
  test('are stored in the order of their times, and raise no unread count', async () => {
    const messages = {
      ...message('second', 200, { sender: 'jon', receiver: 'ida' }),
      ...message('first', 100, { deliveredAt: at(101), readAt: at(150), tags: ['old'] }),
      ...message('third', 300, { deliveredAt: at(301) }),
      ...message('in-group', 100, { receiverType: 'group', receiver: 'club' }),
    }
    const before = (await app.events()).length
    const { data } = await full.importMessages({ body: { messages } })
    expect(Object.values(data).map(({ success }) => success)).toEqual([true, true, true, true])
    expect(data.first?.data).toMatchObject({
      muid: 'first',
      sentAt: at(100),
      deliveredAt: at(101),
      readAt: at(150),
      tags: ['old'],
    })
    const history = await full.listUserMessages({
      params: { uid: 'jon' },
      onBehalfOf: 'ida',
      query: {},
    })
    expect(messagesIn(history).map(({ muid, sentAt }) => [muid, sentAt])).toEqual([
      ['first', at(100)],
      ['second', at(200)],
      ['third', at(300)],
    ])
    const { data: conversations } = await full.listConversations({ onBehalfOf: 'jon', query: {} })
    expect(conversations.map(({ unreadMessageCount }) => Number(unreadMessageCount))).toEqual(
      conversations.map(() => 0),
    )
    const { conversationId } = history.data[0] as Message
    const listed = conversations.find((one) => one.conversationId === conversationId)
    expect(listed).toMatchObject({ updatedAt: at(300), lastMessage: { muid: 'third' } })
    const told = (await app.events()).slice(before)
    expect(told.map(({ name }) => name)).toEqual(['conversation.started'])
  })

  test('of an earlier import are answered as stored; a muid stands for one message', async () => {
    const [first] = Object.values(
      (await full.importMessages({ body: { messages: message('first', 100) } })).data,
    )
    expect(first).toMatchObject({ success: true, data: { muid: 'first', readAt: at(150) } })
    const { data } = await full.importMessages({ body: { messages: message('first', 400) } })
    expect(data).toEqual({ first: failed('ERR_IMPORT_MUID_ALREADY_EXISTS') })
  })

  test('that are older than the last one, of the future, or without people are refused', async () => {
    const messages = {
      ...message('late', 250),
      ...message('early', now),
      ...message('stranger', 500, { sender: 'nobody' }),
      ...message('alone', 500, { receiver: 'ida' }),
      ...message('nowhere', 500, { receiverType: 'group', receiver: 'nowhere' }),
      ...message('empty', 500, { data: {} }),
      ...message('made', 500, {
        receiver: 'nina',
        receiverUserDetails: { uid: 'nina', name: 'Nina' },
      }),
    }
    const { data } = await full.importMessages({ body: { messages } })
    expect(data).toEqual({
      late: failed('ERR_BAD_REQUEST'),
      early: failed('ERR_BAD_REQUEST'),
      stranger: failed('ERR_UID_NOT_FOUND'),
      alone: failed('ERR_BAD_REQUEST'),
      nowhere: failed('ERR_GUID_NOT_FOUND'),
      empty: failed('ERR_EMPTY_MESSAGE_TEXT'),
      made: { success: true, data: expect.objectContaining({ muid: 'made' }) },
    })
  })

  test('are followed by those that are sent here', async () => {
    const body = { receiver: 'jon', receiverType: 'user', data: { text: 'here' } } as const
    await full.sendMessage({ onBehalfOf: 'ida', body })
    const history = await full.listUserMessages({
      params: { uid: 'ida' },
      onBehalfOf: 'jon',
      query: {},
    })
    expect(messagesIn(history).map(({ data }) => data?.text)).toEqual([
      'first',
      'second',
      'third',
      'here',
    ])
    const { data } = await full.listConversations({ onBehalfOf: 'jon', query: {} })
    expect(data[0]?.unreadMessageCount).toBe('1')
  })
})
