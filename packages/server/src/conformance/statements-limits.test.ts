import { pushSwitchDefaults } from '@chorale/contract/notifications'
import { afterAll, describe, expect, test } from 'vitest'
import {
  failure,
  refusal,
  type Statement,
  statementsOf,
} from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { call, hold } = statementsOf(app)
await app.given.users('anna', 'ben')
await app.given.group('team', { owner: 'anna', members: { participants: ['ben'] } })

const names = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`)
const toBen = { receiver: 'ben', receiverType: 'user' }
const say = (more: object, keep?: string) => ({
  as: 'anna',
  json: { ...toBen, data: { text: 'x' }, ...more },
  ...(keep && { keep }),
})

/** As many bytes of JSON as that, of this character as far as it goes. */
function dataOf(bytes: number, character: string) {
  const frame = '{"text":""}'.length
  const width = Buffer.byteLength(character)
  const whole = Math.floor((bytes - frame) / width)
  return { text: character.repeat(whole) + 'a'.repeat(bytes - frame - whole * width) }
}

/** Rows on both sides of a limit, in letters and in characters of four bytes. */
function around(limit: number, row: (count: number, character: string, ok: boolean) => Statement) {
  return ['a', '😀'].flatMap((character) =>
    [limit - 1, limit, limit + 1].map((count) => row(count, character, count <= limit)),
  )
}

describe('section 8: a message', () => {
  hold(
    around(10_240, (bytes, character, ok) => [
      ...([`data of ${bytes} bytes of ${character}`, 'POST /messages'] as const),
      say({ data: dataOf(bytes, character) }),
      ...(ok ? ([200] as const) : ([400, refusal('data')] as const)),
    ]),
  )
  hold(
    around(100, (length, character, ok) => [
      ...([`a tag of ${length} ${character}`, 'POST /messages'] as const),
      say({ tags: [character.repeat(length)] }),
      ...(ok ? ([200] as const) : ([400, refusal('tags.0')] as const)),
    ]),
  )
  const tooMuch = [expect.stringMatching(/11011 bytes.*10240/)]
  const mentions = (count: number) => ({
    text: names(count)
      .map((uid) => `<@uid:${uid}>`)
      .join(' '),
  })
  const mentioned = (count: number) => ({
    data: { data: { mentions: expect.toSatisfy((found) => Object.keys(found).length === count) } },
  })
  hold([
    [
      'the refusal says how much it is, and how much may be',
      'POST /messages',
      say({ data: { text: 'a'.repeat(11_000) } }),
      400,
      { error: { details: { data: tooMuch } } },
    ],
    ['25 tags', 'POST /messages', say({ tags: names(25) }), 200],
    ['26 tags', 'POST /messages', say({ tags: names(26) }), 400, refusal('tags')],
    ...names(11).map(
      (uid): Statement => [`${uid} is there`, 'POST /users', { json: { uid, name: uid } }, 200],
    ),
    ['10 people are mentioned', 'POST /messages', say({ data: mentions(10) }), 200, mentioned(10)],
    ['11 people are not', 'POST /messages', say({ data: mentions(11) }), 400],
    [
      'one person is mentioned 12 times',
      'POST /messages',
      say({ data: { text: '<@uid:m0> '.repeat(12) } }),
      200,
      mentioned(1),
    ],
    [
      'an attachment of 100 MB, and one of more: nothing is uploaded',
      'POST /messages',
      say({
        type: 'file',
        data: { attachments: [{ url: 'https://x.example/a', size: '104857601' }] },
      }),
      200,
    ],
    ['to react to', 'POST /messages', say({}, 'funny'), 200],
  ])
  hold(
    around(45, (length, character, ok) => [
      `a reaction of ${length} ${character}`,
      `POST /messages/{funny}/reactions/${encodeURIComponent(character.repeat(length))}`,
      { as: 'ben' },
      ...(ok ? ([200] as const) : ([400, refusal('reaction')] as const)),
    ]),
  )
})

describe('section 8: a guid', () => {
  test.each([...' .@é/😀'])('has no %j', async (character) => {
    const json = { guid: `a${character}b`, name: 'x', type: 'public' }
    expect(await call('POST /groups', { json })).toMatchObject({ status: 400, ...refusal('guid') })
  })
})

describe('2.7, 4.4, 4.5: permissions of a scope', () => {
  const path = 'PUT /groups/team/scopes/moderator/permissions'
  const permissions = {
    sendMessage: 'allow',
    listMembers: 'friends',
    addReaction: 'allow',
    'listMembers.allowedScopes': 'admin',
    listReactions: 'allow',
    editMessage: 'deny',
    'listReactions.allowedScopes': 'moderator',
    sendThreadedMessage: 'deny',
    initiateCall: 'friends',
    'initiateCall.allowedScopes': 'participant',
    'initiateCall.allowedType': 'audio',
  }
  const done = { success: true, message: expect.any(String) }
  const each = Object.fromEntries(Object.keys(permissions).map((name) => [name, done]))
  const takers = new Set(['listMembers', 'initiateCall'])
  const keys = Object.keys(permissions).filter((name) => !name.includes('.'))
  const set = (name: string, value: string): Statement => [
    `${name} takes ${value}: ${value !== 'friends' || takers.has(name)}`,
    path,
    { json: { permissions: { [name]: value } } },
    200,
    { data: { [name]: { success: value !== 'friends' || takers.has(name) } } },
  ]
  const deny = { json: { permissions: { sendMessage: 'deny' } } }
  const toTeam = { receiver: 'team', receiverType: 'group', data: { text: 'x' } }
  const participant = '/groups/team/scopes/participant/permissions'
  hold([
    [
      'all that were seen',
      path,
      { json: { permissions } },
      200,
      { data: { ...each, permissions } },
    ],
    ...keys.flatMap((name) => ['allow', 'deny', 'friends'].map((value) => set(name, value))),
    ['a scope that is none', path.replace('moderator', 'king'), deny, 400],
    ['no permissions', path, { json: {} }, 400, refusal('permissions')],
    [
      'one that is none, beside one that is',
      path,
      { json: { permissions: { fly: 'allow', sendMessage: 'deny' } } },
      200,
      { data: { fly: { success: false }, sendMessage: done } },
    ],
    ['denied', `PUT ${participant}`, deny, 200],
    [
      'is not done',
      'POST /messages',
      { as: 'ben', json: toTeam },
      403,
      failure('ERR_PERMISSION_DENIED'),
    ],
    [
      'set no more',
      `DELETE ${participant}/sendMessage`,
      {},
      200,
      { data: { permissions: { sendMessage: 'allow' } } },
    ],
    ['is done', 'POST /messages', { as: 'ben', json: toTeam }, 200],
  ])
})

describe('4.13, 6: push settings', () => {
  const path = `/apps/${app.appId}/extensions/push-notification/v1/settings`
  const wrong: readonly (readonly [string, unknown])[] = [
    ...Object.keys(pushSwitchDefaults).map((name) => [name, 'x'] as const),
    ...(['fcmCredentials', 'notificationInPayload', 'serviceMessagePayloadOptions'] as const).map(
      (name) => [name, 'x'] as const,
    ),
    ...([
      ['version', 'two'],
      ['pushProvider', 'fcm'],
      ['keyId', ['k']],
    ] as const),
  ]
  const settings = { version: 2, pushProvider: 1 }
  const nobody = { management: true, json: { settings } }
  hold([
    [
      'none without their wrapper',
      `PUT ${path}`,
      { management: true, json: { ...settings } },
      400,
      refusal('settings'),
    ],
    ...[0, 1, 2].map(
      (version): Statement => [
        ...([`version and provider ${version}`, `PUT ${path}`] as const),
        { management: true, json: { settings: { version, pushProvider: version } } },
        ...([200, { settings: { version, pushProvider: version } }] as const),
      ],
    ),
    ...wrong.map(
      ([name, value]): Statement => [
        ...([`${name} of a wrong type`, `PUT ${path}`] as const),
        { management: true, json: { settings: { ...settings, [name]: value } } },
        ...([400, refusal(`settings.${name}`)] as const),
      ],
    ),
    ['a key without its secret', `PUT ${path}`, { ...nobody, headers: { secret: undefined } }, 401],
    ['a wrong key', `PUT ${path}`, { ...nobody, headers: { key: 'wrong' } }, 401],
    ['a wrong secret', `PUT ${path}`, { ...nobody, headers: { secret: 'wrong' } }, 401],
    [
      'a key of the app instead',
      `PUT ${path}`,
      { ...nobody, headers: { key: undefined, secret: undefined, apikey: app.keys.full } },
      401,
    ],
    ['another version of the path', `GET ${path.replace('v1', 'v2')}`, { management: true }, 404],
  ])
})

describe('an app that wants it as the contract says', async () => {
  const other = await app.anotherApp()
  await app.client(other, 'full').mapAppSettings({
    params: { appId: other.appId },
    body: { settings: { 'api.lenientInput': false } },
  })
  const strict = statementsOf({ ...app, appId: other.appId, keys: other })
  const group = (more: object) => ({ json: { guid: 'g', name: 'x', type: 'public', ...more } })
  const ofGroups = { icon: 5, description: 5, metadata: 'x', owner: 5, tags: 'x', members: 'x' }
  const ofMessages = { receiver: 5, muid: 5, data: 'x', tags: 'x', multipleReceivers: 'x', type: 5 }
  strict.hold([
    ...Object.entries(ofGroups).map(
      ([field, value]): Statement => [
        ...([`refuses ${value} for ${field} of a group`, 'POST /groups'] as const),
        group({ [field]: value }),
        ...([400, refusal(field)] as const),
      ],
    ),
    ...Object.entries(ofMessages).map(
      ([field, value]): Statement => [
        ...([`refuses ${value} for ${field} of a message`, 'POST /messages'] as const),
        { json: { ...toBen, data: { text: 'x' }, [field]: value } },
        ...([400, refusal(field)] as const),
      ],
    ),
    [
      'refuses metadata as text',
      'POST /users',
      { json: { uid: 'ben', name: 'x', metadata: '{}' } },
      400,
      refusal('metadata'),
    ],
    ['refuses booleans as numbers', 'GET /users?withTags=1', {}, 400, refusal('withTags')],
    [
      'refuses forms',
      'POST /users',
      { text: 'uid=x&name=x', type: 'application/x-www-form-urlencoded' },
      400,
      refusal('content-type'),
    ],
  ])
})
