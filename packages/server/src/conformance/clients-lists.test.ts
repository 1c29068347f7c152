import { afterAll, describe, expect, test } from 'vitest'
import {
  failure,
  refusal,
  rows,
  type Statement,
  statementsOf,
} from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { call, hold } = statementsOf(app)
await app.given.users('ada', 'bob', 'cyd')
await app.given.user('red', { tags: ['a'] })
await app.given.user('blue', { tags: ['b'] })
await app.given.group('team', { owner: 'ada', members: { participants: ['bob', 'cyd'] } })
const first = await app.given.message('ada', 'team', {
  receiverType: 'group',
  data: { text: 'first' },
  tags: ['x'],
})
const second = await app.given.message('bob', 'team', {
  receiverType: 'group',
  data: { text: 'second http://a.example' },
})
await app.given.message('ada', 'bob', { data: { text: 'private' } })
const now = Math.floor(Date.now() / 1000)
/** Two arrivals in the group, and two messages. */
const inGroup = 4

describe('users', () => {
  /** A query, and what it lists or which field it is refused for. */
  const queries: readonly (readonly [string, readonly string[] | string])[] = [
    ['perPage=2', ['ada', 'blue']],
    ['per_page=2', ['ada', 'blue']],
    ['limit=2', ['ada', 'blue']],
    ['perPage=1&limit=2', ['ada']],
    ['perPage=1&page=', ['ada']],
    ['perPage=1&role=', ['ada']],
    ['perPage=1&foo=bar', ['ada']],
    ['perPage=1&sort=name', ['ada']],
    ['perPage=1&count=1', ['ada']],
    ['perPage=1&onlyDeactivated=false', ['ada']],
    ['perPage=1&roles[]=default&role=default', ['ada']],
    ['perPage=1&withTags=yes', 'withTags'],
    ['perPage=1&withTags=', ['ada']],
    ['perPage=1001', 'perPage'],
    ['perPage=5000', 'perPage'],
    ['perPage=0', 'perPage'],
    ['page=0', 'page'],
    ['perPage=10&page=99999', 'page'],
    ['tags=a', ['red']],
    ['tags[]=a&tags[]=b', ['blue', 'red']],
    ['tags[0]=a&tags[1]=b', ['blue', 'red']],
    ['tags=a,b', ['blue', 'red']],
    ['tags=["a","b"]', ['blue', 'red']],
    ['searchIn=name,uid&searchKey=ad', ['ada']],
    ['searchIn[]=name&searchKey=ad', ['ada']],
    ['perPage=1&searchKey=', ['ada']],
    ['searchKey=%20', []],
    ['uids=ada,bob', ['ada', 'bob']],
    ['uids[]=ADA&uids[]=nobody', ['ada']],
    ['uids=', 'uids'],
    ['status=online', 'status'],
    ['status=available', []],
  ]
  test.each(queries)('?%s', async (query, expected) => {
    const { status, data, error } = await call(`GET /users?${query.replaceAll('"', '%22')}`)
    if (typeof expected === 'string') return expect({ error }).toMatchObject(refusal(expected))
    expect(data?.map(({ uid }: { uid: string }) => uid)).toEqual(expected)
    return expect(status).toBe(200)
  })

  test.each(['withTags=true', 'withTags=1', 'withTags=True'])('?%s shows tags', async (query) => {
    const { data } = await call(`GET /users?searchKey=red&${query}`)
    expect(data).toMatchObject([{ uid: 'red', tags: ['a'] }])
  })

  test.each(['withTags=false', 'withTags=0'])('?%s shows none', async (query) => {
    const { data } = await call(`GET /users?searchKey=red&${query}`)
    expect(data).toEqual([expect.not.objectContaining({ tags: ['a'] })])
  })
})

describe('messages of a group', () => {
  /** A query, and how many it lists or which field it is refused for. */
  const queries: readonly (readonly [string, number | string])[] = [
    ['limit=1', 1],
    ['limit=101', inGroup],
    ['limit=1001', 'limit'],
    ['limit=0', 'limit'],
    ['perPage=1', 1],
    ['per_page=3&hideMessagesFromBlockedUsers=0&unread=0', 3],
    ['hideDeleted=1', inGroup],
    ['hideReplies=true&hideDeleted=true', inGroup],
    ['category=message&type=text', 2],
    ['categories[]=message&categories[]=custom', 2],
    ['categories=message,custom', 2],
    ['types=["text","image"]', 2],
    [`id=${second.id}&affix=prepend`, inGroup - 1],
    [`id=${first.id}&affix=append`, 1],
    [`id=${second.id}`, inGroup - 1],
    ['sentAt=0&affix=append', inGroup],
    [`fromTimestamp=${now - 60}`, inGroup],
    [`fromTimestamp=${(now - 60) * 1000}`, inGroup],
    [`fromTimestamp=${(now + 600) * 1000}`, 0],
    [`toTimestamp=${now}`, 'fromTimestamp'],
    ['receiver=bob', inGroup],
    ['sender=ADA', 1],
    ['tags[]=x&withTags=true', 1],
    ['attachmentTypes[]=image&attachmentTypes[]=video', 'attachmentTypes'],
    ['attachmentTypes=image', 0],
    ['mentionedUids[]=a', 0],
    ['updatedAt=1', inGroup],
    [
      'myMentionsOnly=false&mentionsWithBlockedInfo=false&mentionswithTagInfo=false&limit=100',
      inGroup,
    ],
  ]
  test.each(queries)('?%s', async (query, expected) => {
    const path = `/groups/team/messages?${query.replaceAll('"', '%22')}`
    const { status, data, error } = await call(`GET ${path}`, { as: 'ada' })
    if (typeof expected === 'string') return expect({ error }).toMatchObject(refusal(expected))
    expect(data).toHaveLength(expected)
    return expect(status).toBe(200)
  })

  hold([
    [
      ...([
        'are counted where they are unread',
        'GET /groups/team/messages?unread=true&count=1',
      ] as const),
      ...([
        { as: 'ada' },
        200,
        { data: [{ entityId: 'team', entityType: 'group', count: 3 }] },
      ] as const),
    ],
  ])
})

const others: readonly Statement[] = [
  [
    'messages of the app',
    'GET /messages?limit=2',
    {},
    200,
    { meta: { current: { limit: 2, count: 2 } } },
  ],
  [
    ...(['messages of a user, for the app', 'GET /users/ada/messages?perPage=2', {}, 200] as const),
    { meta: { pagination: { per_page: 2, count: 2 } } },
  ],
  [
    'messages with a user',
    'GET /users/bob/messages?limit=2',
    { as: 'ada' },
    200,
    rows(1, { receiver: 'bob' }),
  ],
  [
    'messages by a path of v2',
    'GET /users/ada/users/bob/messages',
    {},
    404,
    failure('ERR_API_NOT_FOUND'),
  ],
  ['a message', `GET /messages/${first.id}`, {}, 200, { data: { id: first.id } }],
  ['a message by a word', 'GET /messages/abc', {}, 400, refusal('id')],
  [
    'a message that is not there',
    'GET /messages/999999999999',
    {},
    404,
    failure('ERR_MESSAGE_ID_NOT_FOUND'),
  ],
  [
    ...([
      'conversations of the app, with a page behind a full one',
      'GET /conversations?perPage=1',
      {},
      200,
    ] as const),
    { meta: { pagination: { total: 2, total_pages: 2, count: 1 } } },
  ],
  ['unread conversations', 'GET /conversations?perPage=1&unread=1', { as: 'bob' }, 200, rows(1)],
  [
    'a conversation deleted by the app that is not there',
    'DELETE /conversations/group_nothing',
    {},
    404,
    failure('ERR_CONVERSATION_NOT_FOUND'),
  ],
  [
    'groups that I have joined',
    'GET /groups?hasJoined=1',
    { as: 'ada' },
    200,
    rows(1, { guid: 'team' }),
  ],
  ['groups, so many', 'GET /groups?search=x&limit=1', {}, 200, rows(1)],
  [
    'groups in another order',
    'GET /groups?sortBy=name&sortOrder=DESC&perPage=1',
    { as: 'ada' },
    200,
    rows(1),
  ],
  ['a group in capitals', 'GET /groups/TEAM', {}, 200, { data: { guid: 'team' } }],
  [
    'members of one scope',
    'GET /groups/team/members?scopes[]=admin',
    {},
    200,
    rows(1, { uid: 'ada' }),
  ],
  ['members of two scopes', 'GET /groups/team/members?scopes=admin,participant', {}, 200, rows(3)],
  [
    'members, with how many there are',
    'GET /groups/team/members',
    {},
    200,
    { meta: { pagination: { total: 3, total_pages: 1 } } },
  ],
  ['friends, where there are none', 'GET /users/ada/friends?perPage=1', {}, 200, rows(0)],
  ['keys of no scope', 'GET /apikeys?scope=authOnlys', {}, 400, refusal('scope')],
  ['a user that cannot be', 'GET /users/%20', {}, 404, failure('ERR_UID_NOT_FOUND')],
  ['a group that cannot be', 'GET /groups/%20', {}, 404, failure('ERR_GUID_NOT_FOUND')],
  ['a role that cannot be', 'GET /roles/%20', {}, 404, failure('ERR_ROLE_NOT_FOUND')],
  [
    'a user by an e-mail address',
    'GET /users/ann@example.com',
    {},
    404,
    failure('ERR_UID_NOT_FOUND'),
  ],
  [
    'statistics in milliseconds',
    `GET /stats?fromDate=${(now - 86_400) * 1000}&toDate=${now * 1000}`,
    {},
    200,
  ],
  [
    'statistics in seconds',
    `GET /stats?fromDate=${now - 86_400}&toDate=${now}`,
    {},
    200,
    { data: { time_range: { toDate: now * 1000 } } },
  ],
  [
    'statistics by dates',
    'GET /stats?fromDate=2024-01-01&toDate=2024-01-31',
    {},
    400,
    refusal('fromDate', 'toDate'),
  ],
  ['statistics without dates', 'GET /stats', {}, 400, refusal('fromDate', 'toDate')],
]
describe('others', () => hold(others))
