import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const {
  createUser,
  getUser,
  updateUser,
  deleteUser,
  deactivateUsers,
  reactivateUsers,
  createAuthToken,
  listAuthTokens,
  addFriends,
  blockUsers,
  listFriends,
  setRolePermissions,
  restrictFeatures,
  allowFeatures,
  mapAppSettings,
  unmapAppSettings,
} = app.as('full')

describe('create', () => {
  test('creates a user with a lower-cased uid, shows it, records it', async () => {
    await app.given.role('manager')
    const { data } = await createUser({
      body: {
        uid: 'Ada-1',
        name: 'Ada',
        avatar: 'https://example.com/ada.png',
        link: 'https://example.com/ada',
        role: 'manager',
        statusMessage: 'thinking',
        metadata: { '@private': { email: 'ada@example.com' } },
        tags: ['early'],
        withAuthToken: true,
      },
    })
    expect(data).toEqual({
      uid: 'ada-1',
      name: 'Ada',
      avatar: 'https://example.com/ada.png',
      link: 'https://example.com/ada',
      role: 'manager',
      status: 'offline',
      statusMessage: 'thinking',
      tags: ['early'],
      metadata: { '@private': { email: 'ada@example.com' } },
      createdAt: now,
      authToken: expect.stringMatching(/^ada-1_\d{10}[0-9a-f]{40}$/),
    })
    expect((await app.events()).at(-1)).toEqual({ name: 'user.created', payload: { uid: 'ada-1' } })
    const { data: again } = await getUser({ params: { uid: 'ADA-1' } })
    const { authToken: _, ...shown } = data
    expect(again).toEqual(shown)
  })

  test('leaves out what is not set, and gives the role default', async () => {
    const { data } = await createUser({ body: { uid: 'plain', name: 'Plain' } })
    expect(data).toEqual({
      uid: 'plain',
      name: 'Plain',
      role: 'default',
      status: 'offline',
      createdAt: now,
    })
  })

  test('refuses a taken uid, also of the system user and of deactivated users', async () => {
    await app.given.users('taken', 'taken-and-gone')
    await deactivateUsers({ body: { uidsToDeactivate: ['taken-and-gone'] } })
    for (const uid of ['TAKEN', 'taken-and-gone', 'app_system']) {
      await expect(createUser({ body: { uid, name: 'x' } })).rejects.toMatchObject({
        code: 'ERR_UID_ALREADY_EXISTS',
        status: 400,
      })
    }
  })

  test.each([
    ['an unknown role', { role: 'nothing' }, 'role'],
    ['a blank in the uid', { uid: 'a b' }, 'uid'],
    ['a uid of 101 characters', { uid: 'a'.repeat(101) }, 'uid'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of 101 characters', { name: 'é'.repeat(101) }, 'name'],
    ['an avatar that is no address', { avatar: 'ada.png' }, 'avatar'],
    ['L7: an avatar that is a script', { avatar: 'javascript:alert(1)' }, 'avatar'],
    ['L7: a link that is data', { link: 'data:text/html,hi' }, 'link'],
    ['L7: a link of another scheme', { link: 'blob:https://example.com/1' }, 'link'],
    ['more than 5 KB of metadata', { metadata: { text: 'x'.repeat(5120) } }, 'metadata'],
    ['26 tags', { tags: Array.from({ length: 26 }, (_, n) => `t${n}`) }, 'tags'],
    ['a tag of 101 characters', { tags: ['x'.repeat(101)] }, 'tags.0'],
  ])('refuses %s', async (_, wrong, field) => {
    await expect(
      createUser({ body: { uid: 'wrong', name: 'Wrong', ...wrong } }),
    ).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
      status: 400,
      details: { [field]: [expect.any(String)] },
    })
    await expect(getUser({ params: { uid: 'wrong' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
  })

  test('two calls for the same uid at the same moment make one user', async () => {
    await using busy = await startTestApp({ shadow: false })
    const create = () => busy.as('full').createUser({ body: { uid: 'twice', name: 'Twice' } })
    const answers = await Promise.allSettled(Array.from({ length: 8 }, create))
    const refusals = answers.filter((answer) => answer.status === 'rejected')
    expect(refusals).toHaveLength(7)
    for (const { reason } of refusals) {
      expect(reason).toMatchObject({ code: 'ERR_UID_ALREADY_EXISTS' })
    }
    expect(await busy.events()).toHaveLength(1)
  })

  test('an auth-only key creates users until the app forbids it, and does no more', async () => {
    const auth = app.as('auth')
    const { appId } = app
    await auth.createUser({ body: { uid: 'by-auth', name: 'x' } })
    await expect(auth.getUser({ params: { uid: 'by-auth' } })).rejects.toMatchObject({
      code: 'AUTH_ERR_NO_ACCESS',
      status: 403,
    })
    const setting = 'apiKeys.authOnlyCreatesUsers'
    await mapAppSettings({ params: { appId }, body: { settings: { [setting]: false } } })
    await expect(auth.createUser({ body: { uid: 'by-auth-2', name: 'x' } })).rejects.toMatchObject({
      code: 'AUTH_ERR_NO_ACCESS',
    })
    await createUser({ body: { uid: 'by-full', name: 'x' } })
    await unmapAppSettings({ params: { appId }, body: { settings: [setting] } })
  })
})

test('M5: an auth-only key gives a user no role but the default one, unless the app allows it', async () => {
  const auth = app.as('auth')
  const { appId } = app
  await app.as('full').createRole({ body: { role: 'staff', name: 'staff' } })
  const create = (uid: string, role: string) =>
    auth.createUser({ body: { uid, name: 'x', role, withAuthToken: true } })
  const refusal = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }
  await expect(create('risen', 'staff')).rejects.toMatchObject(refusal)
  await expect(getUser({ params: { uid: 'risen' } })).rejects.toMatchObject({
    code: 'ERR_UID_NOT_FOUND',
  })
  expect((await create('usual', 'default')).data.role).toBe('default')
  await expect(
    auth.updateUser({ params: { uid: 'usual' }, body: { role: 'staff' } }),
  ).rejects.toMatchObject(refusal)
  const setting = 'apiKeys.authOnlyChoosesRoles'
  await mapAppSettings({ params: { appId }, body: { settings: { [setting]: true } } })
  expect((await create('allowed', 'staff')).data.role).toBe('staff')
  await unmapAppSettings({ params: { appId }, body: { settings: [setting] } })
})

describe('get on behalf of a user', () => {
  const email = { '@private': { email: 'eve@example.com' }, colour: 'red' }

  test("hides what is private between the app and another user, shows one's own", async () => {
    await app.given.users('viewer')
    await app.given.user('eve', { metadata: email, tags: ['t'] })
    const asSeenBy = async (onBehalfOf: string) =>
      (await getUser({ params: { uid: 'eve' }, onBehalfOf })).data
    expect(await asSeenBy('viewer')).toMatchObject({
      metadata: { colour: 'red' },
      tags: ['t'],
      conversationId: 'eve_user_viewer',
    })
    expect((await asSeenBy('viewer')).metadata).not.toHaveProperty('@private')
    expect(await asSeenBy('EVE')).toMatchObject({ metadata: email })
    const { data } = await getUser({ params: { uid: 'eve' } })
    expect(data).toMatchObject({ metadata: email })
    expect(data).not.toHaveProperty('conversationId')
  })

  test('marks who blocked whom, as the viewer sees it', async () => {
    await app.given.users('blocker', 'blocked')
    const blockedAt = ++now
    await blockUsers({ params: { uid: 'blocker' }, body: { blockedUids: ['blocked'] } })
    const seen = async (uid: string, onBehalfOf: string) =>
      (await getUser({ params: { uid }, onBehalfOf })).data
    const mine = await seen('blocked', 'blocker')
    expect(mine).toMatchObject({ blockedByMe: true, blockedByMeAt: blockedAt, blockedAt })
    expect(mine).not.toHaveProperty('hasBlockedMe')
    const theirs = await seen('blocker', 'blocked')
    expect(theirs).toMatchObject({ hasBlockedMe: true, blockedAt })
    expect(theirs).not.toHaveProperty('blockedByMe')
    const { data } = await getUser({ params: { uid: 'blocked' } })
    expect(data).not.toHaveProperty('blockedAt')
  })

  test('refuses a viewer who does not exist or is deactivated', async () => {
    await app.given.users('looked-at', 'asleep')
    await deactivateUsers({ body: { uidsToDeactivate: ['asleep'] } })
    for (const onBehalfOf of ['nobody', 'asleep', 'no body']) {
      await expect(getUser({ params: { uid: 'looked-at' }, onBehalfOf })).rejects.toMatchObject({
        code: 'ERR_UID_NOT_FOUND',
        status: 404,
      })
    }
  })

  test('shows details of friends only, or of some roles only, where the role says so', async () => {
    await app.given.role('narrow')
    await app.given.role('star')
    await app.given.user('narrow-1', { role: 'narrow' })
    await app.given.users('friend', 'stranger')
    await app.given.user('star-1', { role: 'star' })
    await addFriends({ params: { uid: 'narrow-1' }, body: { accepted: ['friend'] } })
    const see = (uid: string) => getUser({ params: { uid }, onBehalfOf: 'narrow-1' })
    const permit = (permissions: Record<string, string | string[] | null>) =>
      setRolePermissions({ params: { role: 'narrow' }, body: { permissions } })

    await permit({ 'getUserDetails.mode': 'friends' })
    await see('friend')
    await see('narrow-1')
    await expect(see('stranger')).rejects.toMatchObject({
      code: 'ERR_PERMISSION_DENIED',
      status: 403,
    })
    await permit({ 'getUserDetails.mode': null, 'getUserDetails.allowedRoles': ['star'] })
    await see('star-1')
    await see('narrow-1')
    await expect(see('friend')).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    await permit({ 'getUserDetails.allowedRoles': [] })
    await see('stranger')
  })

  test.each(['getUser', 'u.getUser'])('refuses a role the restricted feature %s', async (name) => {
    const role = name === 'getUser' ? 'bare' : 'prefixed'
    await app.given.role(role)
    await app.given.user(`of-${role}`, { role })
    const see = () => getUser({ params: { uid: `of-${role}` }, onBehalfOf: `of-${role}` })
    await restrictFeatures({ params: { role }, body: { featuresToRestrict: [name] } })
    await expect(see()).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
    await getUser({ params: { uid: `of-${role}` } })
    await allowFeatures({ params: { role }, body: { featuresToAllow: [name] } })
    await see()
  })
})

describe('update', () => {
  test('changes what is sent, empties what is unset, leaves the rest', async () => {
    await app.given.role('editor')
    await app.given.user('changing', {
      avatar: 'https://example.com/a.png',
      link: 'https://example.com/a',
      metadata: { a: 1 },
      tags: ['old', 'older'],
    })
    const updatedAt = ++now
    const uid = 'Changing'
    const { data: first } = await updateUser({
      params: { uid },
      body: { name: 'New', role: 'editor', statusMessage: 'new', tags: ['new'] },
    })
    expect(first).toMatchObject({
      uid: 'changing',
      name: 'New',
      role: 'editor',
      statusMessage: 'new',
      tags: ['new'],
      avatar: 'https://example.com/a.png',
      metadata: { a: 1 },
      createdAt: updatedAt - 1,
      updatedAt,
    })
    expect((await app.events()).at(-1)).toEqual({
      name: 'user.updated',
      payload: { uid: 'changing' },
    })
    const { data: second } = await updateUser({
      params: { uid },
      body: { link: 'https://example.com/b', unset: ['avatar', 'metadata'] },
    })
    expect(second).toMatchObject({ name: 'New', link: 'https://example.com/b', tags: ['new'] })
    expect(second).not.toHaveProperty('avatar')
    expect(second).not.toHaveProperty('metadata')
    expect((await getUser({ params: { uid } })).data).toEqual(second)
  })

  test('refuses an unknown or deactivated user, and an unknown role', async () => {
    await app.given.users('update-me', 'update-gone')
    await deactivateUsers({ body: { uidsToDeactivate: ['update-gone'] } })
    for (const uid of ['nobody', 'update-gone']) {
      await expect(updateUser({ params: { uid }, body: { name: 'x' } })).rejects.toMatchObject({
        code: 'ERR_UID_NOT_FOUND',
        status: 404,
      })
    }
    await expect(
      updateUser({ params: { uid: 'update-me' }, body: { role: 'nothing' } }),
    ).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST', details: { role: [expect.any(String)] } })
  })
})

describe('delete', () => {
  test('a deleted user is not found, has lost the tokens, and can come back', async () => {
    await app.given.users('soft', 'friend-of-soft')
    await createAuthToken({ params: { uid: 'soft' } })
    await addFriends({ params: { uid: 'soft' }, body: { accepted: ['friend-of-soft'] } })
    const { data } = await deleteUser({ params: { uid: 'soft' } })
    expect(data.success).toBe(true)
    expect((await app.events()).slice(-2)).toEqual([
      { name: 'authTokens.revoked', payload: { uid: 'soft' } },
      { name: 'user.deactivated', payload: { uid: 'soft' } },
    ])
    await expect(getUser({ params: { uid: 'soft' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
    await expect(deleteUser({ params: { uid: 'soft' } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
    await reactivateUsers({ body: { uidsToActivate: ['soft'] } })
    expect((await listAuthTokens({ params: { uid: 'soft' } })).data).toEqual([])
    const friends = await listFriends({ params: { uid: 'soft' } })
    expect(friends.data.map(({ uid }) => uid)).toEqual(['friend-of-soft'])
  })

  test('a user deleted for ever leaves no row, and the uid is free again', async () => {
    await app.given.users('hard', 'friend-of-hard')
    const uid = 'hard'
    await createAuthToken({ params: { uid } })
    await addFriends({ params: { uid }, body: { accepted: ['friend-of-hard'] } })
    await blockUsers({ params: { uid: 'friend-of-hard' }, body: { blockedUids: [uid] } })
    await deleteUser({ params: { uid } })
    await deleteUser({ params: { uid }, body: { permanent: true } })
    expect((await app.events()).at(-1)).toEqual({ name: 'user.deleted', payload: { uid } })
    const { rows } = await sql`
      select uid from users where uid = ${uid}
      union all select uid from auth_tokens where uid = ${uid}
      union all select uid from friends where ${uid} in (uid, friend_uid)
      union all select uid from blocked_users where ${uid} in (uid, blocked_uid)`.execute(app.db)
    expect(rows).toEqual([])
    expect((await reactivateUsers({ body: { uidsToActivate: [uid] } })).data).toMatchObject({
      notFound: [uid],
    })
    await expect(deleteUser({ params: { uid }, body: { permanent: true } })).rejects.toMatchObject({
      code: 'ERR_UID_NOT_FOUND',
    })
    await createUser({ body: { uid, name: 'Another' } })
  })

  test('the system user stays', async () => {
    const uid = 'app_system'
    for (const permanent of [false, true]) {
      await expect(deleteUser({ params: { uid }, body: { permanent } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
      })
    }
    await expect(deactivateUsers({ body: { uidsToDeactivate: [uid] } })).rejects.toMatchObject({
      code: 'ERR_BAD_REQUEST',
    })
    await getUser({ params: { uid } })
  })
})

test('deactivation and reactivation sort the uids by what became of them', async () => {
  await app.given.users('d1', 'd2', 'd3')
  const uids = ['D1', 'd2', 'd1', 'nobody']
  expect((await deactivateUsers({ body: { uidsToDeactivate: ['d2'] } })).data).toEqual({
    deactivatedUids: ['d2'],
  })
  expect((await deactivateUsers({ body: { uidsToDeactivate: uids } })).data).toEqual({
    deactivatedUids: ['d1'],
    alreadyDeactivatedUids: ['d2'],
    notFound: ['nobody'],
  })
  expect((await app.events()).at(-1)).toEqual({ name: 'user.deactivated', payload: { uid: 'd1' } })
  await expect(getUser({ params: { uid: 'd1' } })).rejects.toMatchObject({
    code: 'ERR_UID_NOT_FOUND',
  })
  expect(
    (await reactivateUsers({ body: { uidsToActivate: ['d1', 'd3', 'nobody'] } })).data,
  ).toEqual({ reactivatedUids: ['d1'], nonDeactivatedUids: ['d3'], notFound: ['nobody'] })
  expect((await app.events()).at(-1)).toEqual({ name: 'user.reactivated', payload: { uid: 'd1' } })
  expect((await getUser({ params: { uid: 'd1' } })).data).not.toHaveProperty('deactivatedAt')
  const tooMany = Array.from({ length: 101 }, (_, n) => `u${n}`)
  await expect(deactivateUsers({ body: { uidsToDeactivate: tooMany } })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
  })
  await expect(reactivateUsers({ body: { uidsToActivate: [] } })).rejects.toMatchObject({
    code: 'ERR_BAD_REQUEST',
  })
})
