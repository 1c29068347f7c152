import { afterAll, describe, expect } from 'vitest'
import { failure, refusal, statementsOf } from '../../../testing/src/requests/statements.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())
const { hold } = statementsOf(app)
await app.given.users('ada', 'bob', 'cyd', 'eve')
const failed = (code: string) => ({ success: false, error: { code } })

describe('users', () => {
  const lists = { data: { notFound: ['NoSuchUid'] } }
  const alone = (key: string) => ({ data: { [key]: ['eve'] } })
  hold([
    [
      'friends',
      'POST /users/ada/friends',
      { json: { accepted: ['bob'] } },
      200,
      { data: { accepted: { bob: { success: true } } } },
    ],
    [
      'friends already',
      'POST /users/ada/friends',
      { json: { accepted: ['bob'] } },
      200,
      { data: { accepted: { bob: failed('ERR_ALREADY_FRIEND') } } },
    ],
    [
      'friends no more, by another name',
      'DELETE /users/ada/friends',
      { json: { accepted: ['bob'] } },
      400,
      refusal('friends'),
    ],
    [
      'friends no more',
      'DELETE /users/ada/friends',
      { json: { friends: ['bob'] } },
      200,
      { data: { success: true } },
    ],
    [
      'blocked, by another name',
      'POST /users/ada/blockedusers',
      { json: { uids: ['bob'] } },
      400,
      refusal('blockedUids'),
    ],
    [
      'nobody blocked',
      'POST /users/ada/blockedusers',
      { json: { blockedUids: ['nobody'] } },
      200,
      { data: { nobody: failed('ERR_UID_NOT_FOUND') } },
    ],
    [
      'a space blocked',
      'POST /users/ada/blockedusers',
      { json: { blockedUids: [' '] } },
      400,
      refusal('blockedUids.0'),
    ],
    [
      'unblocked who was not',
      'DELETE /users/ada/blockedusers',
      { json: { blockedUids: ['cyd'] } },
      200,
      { data: { cyd: { success: false } } },
    ],
    ['without a name', 'PUT /users/ada', { json: { name: '' } }, 400, refusal('name')],
    [
      ...(['with metadata as text', 'PUT /users/ada'] as const),
      { json: { name: 'n', metadata: '{"email":"user@email.example"}', tags: ['tag1', 'tag2'] } },
      ...([
        200,
        { data: { metadata: { email: 'user@email.example' }, tags: ['tag1', 'tag2'] } },
      ] as const),
    ],
    [
      'with a space for a tag',
      'PUT /users/ada',
      { json: { tags: [' '] } },
      400,
      { error: { details: { 'tags.0': expect.anything() } } },
    ],
    [
      'with another scheme',
      'PUT /users/ada',
      { json: { avatar: 'Invalid:https://data.example/a.png' } },
      400,
      refusal('avatar'),
    ],
    [
      'with a script for a link',
      'PUT /users/ada',
      { json: { link: 'javascript:alert(1)' } },
      400,
      refusal('link'),
    ],
    ['deactivated as a bare list', 'DELETE /users', { json: ['eve'] }, 400, refusal('body')],
    [
      'deactivated',
      'DELETE /users',
      { json: { uidsToDeactivate: ['eve'] } },
      200,
      alone('deactivatedUids'),
    ],
    [
      'deactivated again',
      'DELETE /users',
      { json: { uidsToDeactivate: ['eve'] } },
      200,
      alone('alreadyDeactivatedUids'),
    ],
    [
      'active again',
      'PUT /users',
      { json: { uidsToActivate: ['eve'] } },
      200,
      alone('reactivatedUids'),
    ],
    [
      'deactivated, but not there',
      'DELETE /users',
      { json: { uidsToDeactivate: ['NoSuchUid'] } },
      200,
      {
        ...lists,
        data: expect.toSatisfy((data) => JSON.stringify(data) === '{"notFound":["NoSuchUid"]}'),
      },
    ],
    [
      'active, but not there',
      'PUT /users',
      { json: { uidsToActivate: ['NoSuchUid'] } },
      200,
      lists,
    ],
    ['deleted without a body', 'DELETE /users/eve', {}, 200, alone('deactivatedUids')],
    [
      'deleted for ever, in a text',
      'DELETE /users/eve',
      { json: { permanent: 'true' } },
      200,
      { data: { success: true } },
    ],
    ['that are gone', 'GET /users/eve', {}, 404, failure('ERR_UID_NOT_FOUND')],
    [
      'created anew',
      'POST /users',
      { json: { uid: 'eve', name: 'again' } },
      200,
      { data: { name: 'again' } },
    ],
  ])
})

describe('roles and keys', () => {
  const key = (name: string) => ({ json: { name, scope: 'authOnly' } })
  hold([
    [
      'with [] of PHP',
      'POST /roles',
      { json: { role: 'r1', name: 'r', settings: [], unset: [] } },
      200,
      { data: { settings: {} } },
    ],
    [
      ...(['updated with [] of PHP', 'PUT /roles/default'] as const),
      { json: { name: 'Default', settings: [], unset: [], metadata: { email: 'a@b.example' } } },
      ...([200, { data: { role: 'default', metadata: { email: 'a@b.example' } } }] as const),
    ],
    [
      'in capitals',
      'POST /roles',
      { json: { role: 'Teacher', name: 'Teacher' } },
      200,
      { data: { role: 'teacher' } },
    ],
    ['with nothing', 'POST /roles', { json: { role: '', name: '' } }, 400, refusal('role', 'name')],
    ['taken', 'POST /roles', { json: { role: 'default', name: 'x' } }, 400, refusal('role')],
    [
      'without a name, which stays',
      'PUT /roles/teacher',
      { json: { name: '', description: 'x' } },
      200,
      { data: { name: 'Teacher', description: 'x' } },
    ],
    ['a key', 'POST /apikeys', key('k'), 200, { data: { scope: 'authOnly' } }],
    ['a key of the same name', 'POST /apikeys', key('k'), 400, refusal('name')],
    ['a key called by a space', 'POST /apikeys', key(' '), 400, refusal('name')],
  ])
})
