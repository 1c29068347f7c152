import { afterAll, describe } from 'vitest'
import {
  failure,
  refusal,
  statementsOf,
  without,
} from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { hold } = statementsOf(app)
await app.given.users('ada', 'bob', 'cyd', 'dee', 'eve', 'fay')
await app.given.group('team', { owner: 'ada', members: { participants: ['bob', 'cyd'] } })

const group = (guid: string | undefined, more: object = {}) => ({
  json: { guid, name: 'x', type: 'private', ...more },
})
const names = (count: number, letter: string) =>
  Array.from({ length: count }, (_, n) => `${letter}${n}`)
const failed = (code: string) => ({ success: false, error: { code } })
const members = 'POST /groups/team/members'
const scope = 'PUT /groups/team/members/dee'
const ban = 'POST /groups/team/bannedusers/dee'
const unban = 'DELETE /groups/team/bannedusers/dee'

describe('a group', () => {
  hold([
    [
      'with empty objects',
      'POST /groups',
      group('g1', { members: {}, metadata: {} }),
      200,
      { data: { membersCount: 0 } },
    ],
    [
      'with [] of PHP',
      'POST /groups',
      group('g2', { members: [], metadata: [] }),
      200,
      { data: { metadata: {} } },
    ],
    [
      'with a plain list of members',
      'POST /groups',
      group('g3', { members: ['ada', 'bob'] }),
      400,
      refusal('members'),
    ],
    ['without a type', 'POST /groups', group('g4', { type: undefined }), 400, refusal('type')],
    ['without a guid', 'POST /groups', group(undefined), 400, refusal('guid')],
    [
      'with a type in capitals',
      'POST /groups',
      group('g5', { type: 'PUBLIC' }),
      200,
      { data: { type: 'public' } },
    ],
    [
      'of nobody',
      'POST /groups',
      group('g6', { owner: 'nobody' }),
      404,
      failure('ERR_UID_NOT_FOUND'),
    ],
    [
      ...(['with one member who is not there', 'POST /groups'] as const),
      group('g7', { members: { participants: ['ada', 'nobody'] } }),
      ...([
        200,
        { data: { membersCount: 1, participants: { nobody: failed('ERR_UID_NOT_FOUND') } } },
      ] as const),
    ],
    [
      'with a guid that is taken',
      'POST /groups',
      group('team'),
      400,
      failure('ERR_GUID_ALREADY_EXISTS'),
    ],
    [
      'updated',
      'PUT /groups/team',
      { json: { tags: ['a'], unset: ['description'] } },
      200,
      { data: { tags: ['a'] } },
    ],
    [
      'without what one text names',
      'PUT /groups/team',
      { json: { unset: 'description' } },
      200,
      { data: without('description') },
    ],
    [
      'with a space for a password',
      'PUT /groups/g1',
      { json: { type: 'password', password: ' ' } },
      200,
      { data: { type: 'password' } },
    ],
  ])
})

describe('members', () => {
  hold([
    [
      'added',
      members,
      { json: { participants: ['dee'] } },
      200,
      { data: { participants: { dee: { success: true } } } },
    ],
    [
      'added again',
      members,
      { json: { participants: ['dee'] } },
      200,
      { data: { participants: { dee: failed('ERR_ALREADY_JOINED') } } },
    ],
    [
      'added as another',
      members,
      { json: { admins: ['cyd'] } },
      200,
      { data: { admins: { cyd: failed('ERR_ALREADY_JOINED') } } },
    ],
    [
      'as objects',
      members,
      { json: { participants: [{ uid: 'dee' }] } },
      400,
      refusal('participants.0'),
    ],
    ['too many', members, { json: { participants: names(26, 'u') } }, 400, refusal('participants')],
    [
      'too many in all',
      members,
      { json: { participants: names(13, 'u'), admins: names(13, 'v') } },
      400,
      refusal('members'),
    ],
    ['nobody', members, { json: { participants: [] } }, 200, { data: {} }],
    [
      'added by one who may not',
      members,
      { as: 'dee', json: { participants: ['eve'] } },
      403,
      failure('ERR_GROUP_NO_ADMIN_SCOPE'),
    ],
    [
      'of another scope',
      scope,
      { json: { scope: 'moderator' } },
      200,
      { data: { uid: 'dee', scope: 'moderator' } },
    ],
    ['of the same scope', scope, { json: { scope: 'moderator' } }, 403, failure('ERR_SAME_SCOPE')],
    ['of no scope', scope, { json: { scope: 'member' } }, 400, refusal('scope')],
    [
      'kicked, but nowhere',
      'DELETE /groups/team/members/nobody',
      {},
      404,
      failure('ERR_NOT_A_MEMBER'),
    ],
    [
      'kicked, but elsewhere',
      'DELETE /groups/team/members/eve',
      {},
      404,
      failure('ERR_NOT_A_MEMBER'),
    ],
    ['banned', ban, {}, 200, { data: { success: true } }],
    ['banned again', ban, {}, 409, failure('ERR_ALREADY_BANNED')],
    ['allowed again', unban, {}, 200, { data: { success: true } }],
    ['allowed twice', unban, {}, 404, failure('ERR_NOT_A_BANNED_USER')],
    [
      'banned without being one',
      'POST /groups/team/bannedusers/eve',
      {},
      200,
      { data: { success: true } },
    ],
    [
      'with another owner',
      'PUT /groups/team',
      { json: { owner: 'bob' } },
      200,
      { data: { owner: 'bob' } },
    ],
  ])
})
