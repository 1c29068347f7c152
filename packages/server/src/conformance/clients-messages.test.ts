import { afterAll, describe, expect } from 'vitest'
import {
  failure,
  refusal,
  type Statement,
  statementsOf,
  without,
} from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { hold } = statementsOf(app)
await app.given.users('ada', 'bob', 'cyd', 'dee')
await app.given.group('team', { owner: 'ada', members: { participants: ['bob', 'cyd'] } })

const text = { category: 'message', type: 'text', data: { text: 'hi' } }
const toBob = { receiver: 'bob', receiverType: 'user' }
const toTeam = { receiver: 'team', receiverType: 'group' }

/** Sent by ada to bob, unless it says otherwise. */
function sent(what: string, more: object, status: number, expected = {}): Statement {
  const json = { ...text, ...toBob, ...more }
  return [what, 'POST /messages', { as: 'ada', json }, status, expected]
}

const shown = (data: object) => ({ data: { data } })
const image = (size?: unknown) => ({
  type: 'image',
  data: {
    attachments: [
      {
        url: 'https://a.example/a.png',
        name: 'a.png',
        mimeType: 'image/png',
        extension: 'png',
        size,
      },
    ],
  },
})
const custom = (data: object) => ({ category: 'custom', type: 'loc', data })
const several = (uids: readonly string[], guids: readonly string[] = []) => ({
  receiver: undefined,
  receiverType: undefined,
  multipleReceivers: { uids, guids },
})
const theText = { category: 'message', type: 'text', data: { text: 'hi' } }

describe('a message', () => {
  hold([
    sent('of text', {}, 200, { data: { conversationId: 'ada_user_bob', ...theText } }),
    [
      'with a sender in it is of the app',
      'POST /messages',
      { json: { ...text, ...toBob, sender: 'ada' } },
      200,
      { data: { sender: 'app_system' } },
    ],
    sent('to a number', { receiver: 12345 }, 404, failure('ERR_UID_NOT_FOUND')),
    sent('with an empty muid', { muid: '' }, 400, refusal('muid')),
    sent('with null for muid and tags', { muid: null, tags: null }, 200, { data: without('muid') }),
    sent('without words', { data: { text: '' } }, 400, failure('ERR_EMPTY_MESSAGE_TEXT')),
    sent('of spaces', { data: { text: '   ' } }, 200, shown({ text: '   ' })),
    sent('with data as text', { data: '{"text":"hi"}' }, 200, shown({ text: 'hi' })),
    sent(
      'with metadata as text',
      { data: { text: 'hi', metadata: '{"a":1}' } },
      200,
      shown({ metadata: { a: 1 } }),
    ),
    sent(
      'with [] of PHP for metadata',
      { data: { text: 'hi', metadata: [] } },
      200,
      shown({ metadata: {} }),
    ),
    sent(
      'with null for metadata',
      { data: { text: 'hi', metadata: null } },
      200,
      shown(without('metadata')),
    ),
    sent(
      'with words for metadata',
      { data: { text: 'hi', metadata: 'x' } },
      400,
      failure('ERR_INVALID_METADATA'),
    ),
    sent(
      'with no attachments',
      { data: { text: 'hi', attachments: [] } },
      200,
      shown({ text: 'hi' }),
    ),
    sent(
      'of an image by its address alone',
      { type: 'image', data: { url: 'https://a.example/a.png' } },
      200,
      shown({ attachments: [{ url: 'https://a.example/a.png', name: 'a.png' }] }),
    ),
    sent('of an image', image('1024'), 200, shown({ attachments: [{ size: '1024' }] })),
    sent(
      'of an image with a number for its size',
      image(100),
      200,
      shown({ attachments: [{ size: '100' }] }),
    ),
    sent('of an image of any size', image(), 200, shown({ attachments: [without('size')] })),
    sent(
      'of an image of unknown size',
      image('unknown'),
      200,
      shown({ attachments: [without('size')] }),
    ),
    sent('of an image of a broken size', image(10.5), 400, failure('ERR_INVALID_MEDIA_MESSAGE')),
    sent(
      'of one’s own kind',
      custom({ customData: { a: 1 } }),
      200,
      shown({ customData: { a: 1 } }),
    ),
    sent(
      'of one’s own kind, spelled otherwise',
      custom({ custom_data: { a: 1 } }),
      200,
      shown({ customData: { a: 1 } }),
    ),
    sent(
      'of one’s own kind, with a list',
      custom({ customData: [1, 2] }),
      400,
      failure('ERR_INVALID_CUSTOM_DATA'),
    ),
    sent('to a type in capitals', { receiverType: 'USER' }, 200, {
      data: { receiverType: 'user' },
    }),
    sent(
      'to a guid of older clients',
      { receiver: undefined, receiverType: undefined, guid: 'team' },
      400,
      refusal('receiver'),
    ),
    sent('without a type of receiver', { receiverType: undefined }, 400, refusal('receiverType')),
    sent(
      'with what only the client knows',
      { data: { text: 'hi', resource: 'WEB-3', foo: { a: 1 } } },
      200,
      shown({ resource: 'WEB-3', foo: { a: 1 } }),
    ),
    sent(
      'with tags, category and type inside',
      { data: { text: 'x', tags: ['tag1'], category: 'message' } },
      200,
      shown({ tags: ['tag1'] }),
    ),
    sent('to a group', toTeam, 200, { data: { conversationId: 'group_team' } }),
    [
      'of one who is no member',
      'POST /messages',
      { as: 'dee', json: { ...text, ...toTeam } },
      403,
      failure('ERR_GROUP_NOT_JOINED'),
    ],
    [
      'of the app to a group',
      'POST /messages',
      { json: { ...text, ...toTeam } },
      200,
      { data: { sender: 'app_system' } },
    ],
    sent('to oneself', { receiver: 'ada' }, 400, refusal('receiver')),
    sent(
      'of an action',
      { category: 'action', type: 'groupMember', data: { action: 'joined' } },
      400,
      refusal('category'),
    ),
    [
      'of a bot',
      'POST /bots/cyd/messages',
      { json: { ...text, ...toBob } },
      200,
      { data: { sender: 'cyd' } },
    ],
  ])
})

describe('several receivers', () => {
  const of = (...uids: string[]) => ({
    data: { uids: Object.fromEntries(uids.map((uid) => [uid, { receiver: uid, ...theText }])) },
  })
  const nobody = { success: false, error: { code: 'ERR_UID_NOT_FOUND' } }
  hold([
    sent('have a message each', several(['bob', 'cyd'], ['team']), 200, {
      data: { ...of('bob', 'cyd').data, guids: { team: { receiver: 'team' } } },
    }),
    sent('one of whom is not there', several(['bob', 'nobody']), 200, {
      data: { uids: { ...of('bob').data.uids, nobody } },
    }),
    sent(
      'of whom there are too many',
      several(Array.from({ length: 30 }, (_, n) => `u${n}`)),
      400,
      refusal('multipleReceivers.uids'),
    ),
    sent(
      'and one beside them',
      { ...several(['cyd', 'dee']), ...toBob },
      200,
      of('bob', 'cyd', 'dee'),
    ),
    sent('who are none beside one', { ...several([]), ...toBob }, 200, {
      data: { receiver: 'bob' },
    }),
    [
      'of the app',
      'POST /messages',
      { json: { ...text, receiverType: 'user', multipleReceivers: { uids: ['ada', 'bob'] } } },
      200,
      of('ada', 'bob'),
    ],
  ])
  hold([
    [
      'have it in their histories',
      'GET /users/dee/messages?limit=1',
      { as: 'ada' },
      200,
      { data: [theText] },
    ],
  ])
})

describe('what was sent', () => {
  const edit = { json: { data: { text: 'edited' } } }
  const reply = { ...text, ...toTeam, data: { text: 'reply' } }
  const action = (name: string) => ({ data: { category: 'action', data: { action: name } } })
  const done = { data: { success: true } }
  hold([
    ['first', 'POST /messages', { as: 'ada', json: { ...text, ...toTeam }, keep: 'first' }, 200],
    ['second', 'POST /messages', { as: 'bob', json: { ...text, ...toTeam }, keep: 'second' }, 200],
    ['is edited', 'PUT /messages/{first}', { as: 'ada', ...edit }, 200, action('edited')],
    [
      'is edited by another',
      'PUT /messages/{first}',
      { as: 'cyd', ...edit },
      403,
      failure('ERR_MESSAGE_NOT_A_SENDER'),
    ],
    [
      'gets a reaction',
      'POST /messages/{first}/reactions/%F0%9F%98%80',
      { as: 'bob' },
      200,
      shown({ reactions: [{ reaction: '😀', count: 1 }] }),
    ],
    [
      'gets one with the type of no body',
      'POST /messages/{first}/reactions/like',
      { as: 'bob', headers: { 'content-type': 'application/json' } },
      200,
    ],
    [
      'has two reactions',
      'GET /messages/{first}/reactions',
      {},
      200,
      { data: [{ reaction: '😀', uid: 'bob' }, { reaction: 'like' }] },
    ],
    [
      'gets a reply',
      'POST /messages/{first}/thread',
      { as: 'bob', json: reply },
      200,
      { data: { parentId: expect.any(String), ...theText, data: { text: 'reply' } } },
    ],
    [
      'is deleted',
      'DELETE /messages/{second}',
      { as: 'bob', json: { permanent: false } },
      200,
      action('deleted'),
    ],
    ['is read', 'POST /groups/team/conversation/read', { as: 'cyd', json: {} }, 200, done],
    [
      'is read by a number',
      'POST /groups/team/conversation/read',
      { as: 'cyd', text: '{"messageId":{first}}' },
      200,
      done,
    ],
    [
      'is delivered',
      'POST /groups/team/conversation/delivered',
      { as: 'cyd', json: { messageId: '{first}' } },
      200,
      done,
    ],
  ])
})
