import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import { findWrongCounters } from '../log/index.ts'

const now = 1_700_000_000
const app = await startTestApp({ shadow: false, clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const at = (seconds: number) => 1_600_000_000 + seconds

const users = Object.fromEntries(
  ['ann', 'bob', 'cid'].map((uid) => [uid, { uid, name: uid, createdAt: at(0) }]),
)
await full.importUsers({ body: { users } })
const team = { guid: 'team', name: 'Team', type: 'public', owner: 'ann', createdAt: at(0) } as const
await full.importGroups({ body: { groups: { team } } })

const standing = (uid: string, is: object) => {
  const memberId = `team_member_${uid}`
  return { [memberId]: { memberId, guid: 'team', uid, ...is } }
}
const params = { guid: 'team' }

test('with update, members come and go, and are banned, as the call says', async () => {
  const become = async (is: object) => {
    const body = { members: standing('bob', is), update: true }
    const { data } = await full.importMembers({ body })
    expect(data.team_member_bob).toMatchObject({ success: true })
    const members = (await full.listMembers({ params, query: {} })).data
    const banned = (await full.listBannedUsers({ params, query: {} })).data
    for (const counter of ['members', 'unread'] as const) {
      expect(await findWrongCounters(app.db, counter)).toEqual([])
    }
    return [
      members.map(({ uid, scope, joinedAt }) => [uid, scope, joinedAt - at(0)]),
      banned.map(({ uid }) => uid),
    ]
  }
  const ann = ['ann', 'admin', 0]
  expect(await become({ joinedAt: at(5) })).toEqual([[ann, ['bob', 'participant', 5]], []])
  expect(await become({ scope: 'moderator', joinedAt: at(9) })).toEqual([
    [ann, ['bob', 'moderator', 9]],
    [],
  ])
  expect(await become({ isBanned: true })).toEqual([[ann], ['bob']])
  expect(await become({ joinedAt: at(12) })).toEqual([[ann, ['bob', 'participant', 12]], []])
  expect(await become({ hasLeft: true })).toEqual([[ann], []])
  expect(await become({ hasLeft: true })).toEqual([[ann], []])
  await become({ isBanned: true })
  expect(await become({ hasLeft: true })).toEqual([[ann], []])
  const { data } = await full.listGroupMessages({ params, query: {} })
  expect(data).toEqual([])
})

test('with update, a group has another owner, and is private', async () => {
  const groups = { team: { ...team, owner: 'bob', type: 'private' as const } }
  const { data } = await full.importGroups({ body: { groups, update: true } })
  expect(data.team).toMatchObject({ success: true, data: { owner: 'bob', type: 'private' } })
})

const message = (nth: number, rest: object = {}) => ({
  [`m${nth}`]: {
    muid: `m${nth}`,
    sender: 'ann',
    receiverType: 'user' as const,
    receiver: 'cid',
    sentAt: at(nth),
    data: { text: `text ${nth}` },
    ...rest,
  },
})
const update = async (messages: ReturnType<typeof message>) =>
  Object.values((await full.importMessages({ body: { messages, update: true } })).data)

test('an edit in the second of the last one counts, and one before a deletion, too', async () => {
  await update(message(1))
  const edited = (text: string) => message(1, { data: { text }, editedAt: at(5), editedBy: 'ann' })
  for (const text of ['first', 'second']) {
    expect((await update(edited(text)))[0]?.data?.data.text).toBe(text)
  }
  await update(message(2))
  const gone = { editedAt: at(6), editedBy: 'ann', deletedAt: at(7), deletedBy: 'ann' }
  expect((await update(message(2, gone)))[0]?.data).toMatchObject(gone)
})

test('read at a time that is told late: messages before it have that time', async () => {
  await update({ ...message(10), ...message(11), ...message(12) })
  await update(message(12, { readAt: at(30) }))
  await update(message(10, { readAt: at(20) }))
  const query = { limit: 3 }
  const listed = await full.listUserMessages({
    params: { uid: 'ann' },
    onBehalfOf: 'cid',
    query: { ...query, category: 'message' },
  })
  const times = listed.data.map((one) => 'readAt' in one && Number(one.readAt) - at(0))
  expect(times).toEqual([20, 30, 30])
})
