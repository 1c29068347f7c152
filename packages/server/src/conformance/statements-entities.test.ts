import { afterAll, describe, expect } from 'vitest'
import {
  failure,
  refusal,
  rows,
  seconds,
  statementsOf,
  without,
} from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { hold } = statementsOf(app)
const { appId, keys } = app
const profile = {
  avatar: 'http://pictures.example/120x120&text=image1',
  link: 'http://people.example',
  metadata: { rawMetadata: "{'gender':'Male'}" },
}
for (const uid of ['anna', 'ben', 'cora', 'dan', 'eve', 'finn']) await app.given.user(uid, profile)

const text = expect.any(String)
const noKey = { headers: { apikey: undefined } }
const json = { 'content-type': expect.stringMatching(/^application\/json/) }

describe('sections 1, 5 and 9: addresses and credentials', () => {
  const page = 'GET /users?perPage=1'
  const pushSettings = `PUT /apps/${appId}/extensions/push-notification/v1/settings`
  hold([
    [
      'the host name alone names the app, and answers are JSON',
      page,
      {},
      200,
      { ...rows(1), headers: json },
    ],
    [
      'another region is refused',
      page,
      { host: `${appId}.api-eu.chat.example` },
      401,
      { headers: json },
    ],
    ['another app is refused', page, { host: '0000000000000000.api-us.chat.example' }, 401],
    ['management is not under this address', pushSettings, { json: { settings: {} } }, 404],
    ['without a body what is required speaks up', 'POST /users', {}, 400, refusal('uid', 'name')],
    ['without a key', page, noKey, 401, failure('AUTH_ERR_EMPTY_APIKEY')],
    [
      'with a wrong key',
      page,
      { headers: { apikey: 'nonsense' } },
      401,
      failure('AUTH_ERR_APIKEY_NOT_FOUND'),
    ],
    [
      'with a key that may less',
      page,
      { headers: { apikey: keys.auth } },
      403,
      failure('AUTH_ERR_NO_ACCESS'),
    ],
    ['ApiKey', page, { headers: { apikey: undefined, ApiKey: keys.full } }, 200],
    ['for a user who is not there', page, { as: 'nobody' }, 404, failure('ERR_UID_NOT_FOUND')],
    ['of another version', 'GET /v2/users', {}, 404, failure('ERR_INVALID_API_VERSION')],
  ])
})

const body = {
  guid: 'project-group',
  name: 'Project Group',
  type: 'public',
  owner: 'anna',
  icon: profile.avatar,
  description: 'discussions',
  metadata: { a: 1, deep: { b: ['c'] } },
  tags: ['friends', 'project'],
}
const members = {
  admins: ['ben'],
  moderators: ['cora'],
  participants: ['dan'],
  usersToBan: ['eve'],
}

describe('2.3, 4.6: groups', () => {
  const view = { scope: 'admin', hasJoined: true, joinedAt: seconds, createdAt: seconds }
  const group = { ...body, ...view, conversationId: 'group_project-group', membersCount: 4 }
  const scopeOf = (scope: string) => ({ data: { scope, hasJoined: true } })
  const locked = { guid: 'locked', name: 'x', type: 'password' }
  const one = 'GET /groups/project-group'
  hold([
    [
      'as its creator sees it',
      'POST /groups',
      { json: { ...body, members } },
      200,
      { data: group },
    ],
    [
      'banned from the start',
      'GET /groups/project-group/bannedusers',
      {},
      200,
      rows(1, { uid: 'eve' }),
    ],
    [
      'with a password, which nobody sees',
      'POST /groups',
      { json: { ...locked, password: 'p' } },
      200,
      { data: without('password') },
    ],
    [
      'without the password it needs',
      'POST /groups',
      { json: locked },
      400,
      failure('ERR_EMPTY_GROUP_PASS'),
    ],
    [
      'updated, by whom and when',
      'PUT /groups/project-group',
      { as: 'ben', json: { name: 'Project' } },
      200,
      { data: { updatedBy: 'ben', updatedAt: seconds } },
    ],
    ['as its admin sees it', one, { as: 'ben' }, 200, scopeOf('admin')],
    ['as its moderator sees it', one, { as: 'cora' }, 200, scopeOf('moderator')],
    ['as its participant sees it', one, { as: 'dan' }, 200, scopeOf('participant')],
    ['as anybody sees it', one, { as: 'finn' }, 200, { data: { hasJoined: false } }],
    [
      'made by a user',
      'POST /groups',
      { as: 'finn', json: { guid: 'by-finn', name: 'x', type: 'public' } },
      200,
      { data: { owner: 'finn', ...view } },
    ],
  ])
})

const entity = (uid: string) => ({
  entity: {
    uid,
    name: text,
    role: 'default',
    status: 'offline',
    avatar: text,
    link: text,
    createdAt: seconds,
  },
  entityType: 'user',
})
const toBen = { receiver: 'ben', receiverType: 'user' }
const toGroup = { receiver: 'project-group', receiverType: 'group' }

describe('2.4, 4.8: messages', () => {
  const content = { text: 'test hello', metadata: { key1: 'val1' } }
  const sent = { ...toBen, category: 'message', type: 'text', muid: 'muid-1', tags: ['tag1'] }
  const times = { sentAt: seconds, updatedAt: seconds, receipts: { data: [] } }
  const entities = { sender: entity('anna'), receiver: entity('ben') }
  const message = {
    ...sent,
    ...times,
    id: text,
    conversationId: 'anna_user_ben',
    sender: 'anna',
    data: { ...content, entities },
  }
  const group = { entity: { guid: 'project-group' }, entityType: 'group' }
  const say = (more: object, keep?: string) => ({
    as: 'anna',
    json: { ...toBen, ...more },
    ...(keep && { keep }),
  })
  const attachment = {
    url: 'https://x.example/a.bin',
    name: 'a.bin',
    mimeType: 'x/y',
    extension: 'bin',
    size: '1024',
  }
  const media = (type: string) =>
    [
      ...([`${type} has attachments, all of whose fields are strings`, 'POST /messages'] as const),
      say({ type, data: { attachments: [attachment], text: 'caption' } }),
      ...([200, { data: { type, data: { text: 'caption', attachments: [attachment] } } }] as const),
    ] as const
  const mention = { text: 'hi <@uid:ben>' }
  hold([
    ['whole', 'POST /messages', say({ ...sent, data: content }, 'first'), 200, { data: message }],
    [
      'the same muid is the same message',
      'POST /messages',
      say({ ...sent, data: content }),
      200,
      { data: message },
    ],
    [
      'category and type by default',
      'POST /messages',
      say({ data: { text: 'x' } }),
      200,
      { data: { category: 'message', type: 'text' } },
    ],
    [
      'to a group',
      'POST /messages',
      say({ ...toGroup, data: { text: 'x' } }),
      200,
      { data: { data: { entities: { receiver: group } } } },
    ],
    [
      'mentions',
      'POST /messages',
      say({ ...toGroup, data: mention }),
      200,
      { data: { data: { ...mention, mentions: { ben: { uid: 'ben' } } } } },
    ],
    ...['image', 'file', 'audio', 'video'].map(media),
    ['a name that was changed', 'PUT /users/ben', { json: { name: 'ben 2' } }, 200],
    [
      'shows in what was sent before',
      'GET /messages/{first}',
      {},
      200,
      {
        data: {
          data: { entities: { receiver: { entity: { name: 'ben 2', updatedAt: seconds } } } },
        },
      },
    ],
    [
      'an unknown category',
      'POST /messages',
      say({ category: 'nonsense' }),
      400,
      refusal('category'),
    ],
    [
      'an unknown type',
      'POST /messages',
      say({ type: 'nonsense', data: { text: 'x' } }),
      400,
      failure('ERR_INVALID_MESSAGE_TYPE'),
    ],
    [
      'an unknown type of receiver',
      'POST /messages',
      say({ receiverType: 'channel' }),
      400,
      refusal('receiverType'),
    ],
  ])
})

describe('2.2, 2.4, 4.2, 4.3, 6: conversations', () => {
  const isCount = expect.stringMatching(/^\d+$/)
  const action = {
    category: 'action',
    type: 'groupMember',
    receipts: { data: [] },
    data: {
      action: 'unbanned',
      entities: {
        by: entity('anna'),
        on: entity('finn'),
        for: { entity: { guid: 'project-group' }, entityType: 'group' },
      },
    },
  }
  const times = { createdAt: seconds, updatedAt: seconds }
  const ofGroup = {
    conversationId: 'group_project-group',
    conversationType: 'group',
    ...times,
    unreadMessageCount: isCount,
    lastMessage: action,
    conversationWith: { guid: 'project-group', scope: 'participant', hasJoined: true },
  }
  const ofUser = {
    conversationId: 'anna_user_ben',
    conversationType: 'user',
    ...times,
    unreadMessageCount: isCount,
    conversationWith: { uid: 'ben' },
    lastMessage: { category: 'message' },
  }
  const tagged = { ...ofUser, tags: ['archived', 'vip'] }
  const tags = (names: readonly string[]) => ({ as: 'anna', json: { tags: names } })
  const withBen = 'PUT /users/ben/conversation'
  const many = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`)
  hold([
    ['a ban', 'POST /groups/project-group/bannedusers/finn', { as: 'anna' }, 200],
    ['and its end', 'DELETE /groups/project-group/bannedusers/finn', { as: 'anna' }, 200],
    [
      'of a group, in a list; deprecated',
      'GET /conversations/group_project-group',
      { as: 'dan' },
      200,
      { data: [ofGroup], headers: { deprecation: text } },
    ],
    ['of a user', 'GET /conversations/anna_user_ben', { as: 'anna' }, 200, { data: [ofUser] }],
    [
      'by its group',
      'GET /groups/project-group/conversation',
      { as: 'dan' },
      200,
      { data: [ofGroup] },
    ],
    ['by its user', 'GET /users/ben/conversation', { as: 'anna' }, 200, { data: [ofUser] }],
    ['needs somebody', 'GET /conversations/group_project-group', {}, 400, refusal('onBehalfOf')],
    ['needs a key', 'GET /conversations/group_project-group', { as: 'dan', ...noKey }, 401],
    ['is tagged', withBen, tags(['archived', 'vip']), 200, { data: [tagged] }],
    [
      'is listed with its tags',
      'GET /conversations?tags[]=vip&withTags=true',
      { as: 'anna' },
      200,
      { data: [tagged] },
    ],
    ['has 25 tags', withBen, tags(many(25)), 200],
    ['has no 26', withBen, tags(many(26)), 400, refusal('tags')],
    ['is tagged for somebody', withBen, { json: { tags: ['x'] } }, 400, refusal('onBehalfOf')],
    [
      'is not there before its first message',
      'PUT /users/eve/conversation',
      tags(['x']),
      403,
      failure('ERR_CONVERSATION_NOT_ACCESSIBLE'),
    ],
  ])
})
