import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

let now = 1_700_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const {
  addMembers,
  banUser,
  createGroup,
  deleteGroup,
  getGroup,
  getGroupConversation,
  listConversations,
  listMembers,
  mapAppSettings,
  restrictFeatures,
  setRolePermissions,
  unmapAppSettings,
  updateGroup,
} = app.as('full')

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cid', 'dan', 'eve', 'outsider')
})

const refusal = (code: string, status?: number) => ({ code, ...(status && { status }) })
const uidsIn = async (guid: string) =>
  (await listMembers({ params: { guid } })).data.map(({ uid, scope }) => `${uid} ${scope}`)

describe('create', () => {
  test('requirement 4.6: answers the group as its creator sees it, and a verdict per member', async () => {
    const { data } = await createGroup({
      body: {
        guid: 'Tea-Time_1',
        name: 'Tea',
        type: 'private',
        icon: 'https://example.com/tea.png',
        description: 'Five o’clock',
        metadata: { cups: 4 },
        owner: 'ann',
        tags: ['prepared', 'daily'],
        members: {
          admins: ['ann', 'bob'],
          moderators: ['cid'],
          participants: ['dan', 'nobody'],
          usersToBan: ['eve'],
        },
      },
      onBehalfOf: 'ann',
    })
    expect(data).toMatchObject({
      guid: 'tea-time_1',
      name: 'Tea',
      type: 'private',
      icon: 'https://example.com/tea.png',
      description: 'Five o’clock',
      metadata: { cups: 4 },
      owner: 'ann',
      tags: ['prepared', 'daily'],
      scope: 'admin',
      membersCount: 4,
      joinedAt: now,
      conversationId: 'group_tea-time_1',
      hasJoined: true,
      createdAt: now,
      admins: { bob: { success: true } },
      moderators: { cid: { success: true } },
      participants: {
        dan: { success: true },
        nobody: { success: false, error: { code: 'ERR_UID_NOT_FOUND' } },
      },
      usersToBan: { eve: { success: true } },
    })
    expect(data).not.toHaveProperty('updatedAt')
    expect(data).not.toHaveProperty('password')
    expect(await uidsIn('tea-time_1')).toEqual([
      'ann admin',
      'bob admin',
      'cid moderator',
      'dan participant',
    ])
    expect((await app.events()).at(-1)).toEqual({
      name: 'group.created',
      payload: { guid: 'tea-time_1' },
    })
  })

  test('requirement 4.6: without an owner the acting user is one, and an admin', async () => {
    const body = { guid: 'mine', name: 'Mine', type: 'public' } as const
    const { data } = await createGroup({ body, onBehalfOf: 'bob' })
    expect(data).toEqual({
      guid: 'mine',
      name: 'Mine',
      type: 'public',
      owner: 'bob',
      scope: 'admin',
      membersCount: 1,
      joinedAt: now,
      conversationId: 'group_mine',
      hasJoined: true,
      createdAt: now,
    })
  })

  test('requirement 4.6: without any user it belongs to the app, and nobody is in it', async () => {
    const body = { guid: 'of-the-app', name: 'App', type: 'public' } as const
    const { data } = await createGroup({ body })
    expect(data).toMatchObject({ owner: 'app_system', membersCount: 0, hasJoined: false })
    expect(data).not.toHaveProperty('scope')
    expect(await uidsIn('of-the-app')).toEqual([])
  })

  test('a password group needs a password, and no other kind keeps one', async () => {
    const body = { guid: 'safe', name: 'Safe', type: 'password' } as const
    for (const password of [undefined, '']) {
      await expect(
        createGroup({ body: { ...body, ...(password !== undefined && { password }) } }),
      ).rejects.toMatchObject(refusal('ERR_EMPTY_GROUP_PASS', 400))
    }
    await createGroup({ body: { ...body, password: 'sesame' } })
    await createGroup({ body: { ...body, guid: 'open', type: 'public', password: 'sesame' } })
    const { rows } = await sql<{ guid: string; hash: string | null }>`
      select guid, password_hash as hash from groups
      where app_id = ${app.appId} and guid in ('open', 'safe') order by guid`.execute(app.db)
    expect(rows).toEqual([
      { guid: 'open', hash: null },
      { guid: 'safe', hash: expect.stringMatching(/^\$argon2id\$/) },
    ])
    const { rows: everything } = await sql<{ text: string }>`
      select g::text as text from groups g where guid = 'safe'`.execute(app.db)
    expect(everything.every(({ text }) => !text.includes('sesame'))).toBe(true)
  })

  test('refuses a taken guid in any case, and an owner or actor who does not exist', async () => {
    const body = { name: 'x', type: 'public' } as const
    await app.given.group('taken')
    await expect(createGroup({ body: { ...body, guid: 'TAKEN' } })).rejects.toMatchObject(
      refusal('ERR_GUID_ALREADY_EXISTS', 400),
    )
    await expect(
      createGroup({ body: { ...body, guid: 'new', owner: 'nobody' } }),
    ).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND', 404))
    await expect(
      createGroup({ body: { ...body, guid: 'new' }, onBehalfOf: 'nobody' }),
    ).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND', 404))
    await expect(getGroup({ params: { guid: 'new' } })).rejects.toMatchObject(
      refusal('ERR_GUID_NOT_FOUND', 404),
    )
  })

  test('several calls for the same guid at the same moment make one group', async () => {
    await using busy = await startTestApp({ shadow: false })
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => busy.given.group('twice')),
    )
    const refusals = answers.filter((answer) => answer.status === 'rejected')
    expect(refusals.map(({ reason }) => reason.code)).toEqual(
      Array.from({ length: 7 }, () => 'ERR_GUID_ALREADY_EXISTS'),
    )
  })

  test('a role may be denied groups, or some types of them', async () => {
    await app.given.role('guest')
    await app.given.user('gus', { role: 'guest' })
    const body = { guid: 'by-gus', name: 'x', type: 'public' } as const
    const create = (type: 'public' | 'private') =>
      createGroup({ body: { ...body, type, guid: `by-gus-${type}` }, onBehalfOf: 'gus' })
    const set = (permissions: Record<string, string | string[] | null>) =>
      setRolePermissions({ params: { role: 'guest' }, body: { permissions } })
    await set({ createGroup: 'deny' })
    await expect(create('public')).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
    await set({ createGroup: null, 'createGroup.allowedGroupTypes': ['private'] })
    await expect(create('public')).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED'))
    await create('private')
    await set({ 'createGroup.allowedGroupTypes': null })
    await create('public')
  })

  test('does not begin with more members than a group may have', async () => {
    const { appId } = app
    const settings = { 'groups.memberLimit': 2 }
    await mapAppSettings({ params: { appId }, body: { settings } })
    const members = { participants: ['bob', 'cid'] }
    await expect(app.given.group('crowded', { owner: 'ann', members })).rejects.toMatchObject(
      refusal('ERR_NO_VACANCY', 403),
    )
    await app.given.group('cosy', { owner: 'ann', members: { participants: ['bob'] } })
    await unmapAppSettings({ params: { appId }, body: { settings: Object.keys(settings) } })
  })
})

describe('get', () => {
  test('shows a public group to anybody, with the place of the viewer in it', async () => {
    await app.given.group('square', { owner: 'ann', members: { moderators: ['bob'] } })
    const seenBy = async (onBehalfOf?: string) =>
      (await getGroup({ params: { guid: 'SQUARE' }, ...(onBehalfOf && { onBehalfOf }) })).data
    expect(await seenBy('bob')).toMatchObject({
      scope: 'moderator',
      hasJoined: true,
      joinedAt: now,
    })
    for (const viewer of ['outsider', undefined]) {
      const seen = await seenBy(viewer)
      expect(seen).toMatchObject({ hasJoined: false, membersCount: 2 })
      expect(seen).not.toHaveProperty('scope')
      expect(seen).not.toHaveProperty('joinedAt')
    }
  })

  test('a private group does not exist for users who are not in it', async () => {
    await app.given.group('den', { type: 'private', owner: 'ann' })
    expect((await getGroup({ params: { guid: 'den' }, onBehalfOf: 'ann' })).data.guid).toBe('den')
    expect((await getGroup({ params: { guid: 'den' } })).data.guid).toBe('den')
    const outside = { params: { guid: 'den' }, onBehalfOf: 'outsider' }
    for (const call of [getGroup, listMembers, deleteGroup]) {
      await expect(call(outside)).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND', 404))
    }
  })

  test('refuses a group and a user that do not exist', async () => {
    await expect(getGroup({ params: { guid: 'nothing' } })).rejects.toMatchObject(
      refusal('ERR_GUID_NOT_FOUND'),
    )
    await expect(
      getGroup({ params: { guid: 'square' }, onBehalfOf: 'nobody' }),
    ).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
  })
})

describe('update', () => {
  test('changes what is sent, replaces tags, tells who did it and when', async () => {
    await app.given.group('plan', { owner: 'ann', tags: ['a', 'b'], description: 'first' })
    now += 10
    const { data } = await updateGroup({
      params: { guid: 'plan' },
      body: { name: 'Plan B', tags: ['c'], metadata: { b: 1 }, icon: 'https://example.com/b' },
      onBehalfOf: 'ann',
    })
    expect(data).toEqual({
      guid: 'plan',
      name: 'Plan B',
      type: 'public',
      owner: 'ann',
      description: 'first',
      metadata: { b: 1 },
      icon: 'https://example.com/b',
      tags: ['c'],
      scope: 'admin',
      hasJoined: true,
      membersCount: 1,
      joinedAt: now - 10,
      conversationId: 'group_plan',
      createdAt: now - 10,
      updatedAt: now,
      updatedBy: 'ann',
    })
    expect((await app.events()).at(-1)?.name).toBe('group.updated')
  })

  test('unset removes, and the app signs as the system user', async () => {
    const { data } = await updateGroup({
      params: { guid: 'plan' },
      body: { unset: ['icon', 'description', 'metadata'] },
    })
    for (const field of ['icon', 'description', 'metadata']) expect(data).not.toHaveProperty(field)
    expect(data).toMatchObject({ name: 'Plan B', updatedBy: 'app_system' })
  })

  test('a group that becomes a password group needs one, and forgets it when it is none', async () => {
    const params = { guid: 'plan' }
    const hash = async () => {
      const { rows } = await sql<{ hash: string | null }>`
        select password_hash as hash from groups
        where app_id = ${app.appId} and guid = 'plan'`.execute(app.db)
      return rows[0]?.hash
    }
    await expect(updateGroup({ params, body: { type: 'password' } })).rejects.toMatchObject(
      refusal('ERR_EMPTY_GROUP_PASS'),
    )
    await updateGroup({ params, body: { type: 'password', password: 'one' } })
    const first = await hash()
    await updateGroup({ params, body: { name: 'Still' } })
    expect(await hash()).toBe(first)
    await updateGroup({ params, body: { password: 'two' } })
    expect(await hash()).not.toBe(first)
    await updateGroup({ params, body: { type: 'public' } })
    expect(await hash()).toBeNull()
  })

  test('refuses a group or user that does not exist, outsiders and participants', async () => {
    await addMembers({ params: { guid: 'plan' }, body: { participants: ['bob'] } })
    const rename = (guid: string, onBehalfOf: string) =>
      updateGroup({ params: { guid }, body: { name: 'x' }, onBehalfOf })
    await expect(rename('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(rename('plan', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(rename('plan', 'outsider')).rejects.toMatchObject(
      refusal('ERR_GROUP_NOT_JOINED', 403),
    )
    await expect(rename('plan', 'bob')).rejects.toMatchObject(
      refusal('ERR_GROUP_NO_MODERATOR_SCOPE', 403),
    )
    expect((await getGroup({ params: { guid: 'plan' } })).data.name).toBe('Still')
  })
})

describe('delete', () => {
  test('removes the group with members, bans and conversation, and frees its guid', async () => {
    await app.given.group('brief', { owner: 'ann', members: { participants: ['bob'] } })
    await banUser({ params: { guid: 'brief', uid: 'cid' } })
    const { data } = await deleteGroup({ params: { guid: 'brief' }, onBehalfOf: 'ann' })
    expect(data).toEqual({ success: true, message: expect.stringContaining('brief') })
    expect((await app.events()).at(-1)?.name).toBe('group.deleted')
    await expect(getGroup({ params: { guid: 'brief' } })).rejects.toMatchObject(
      refusal('ERR_GUID_NOT_FOUND'),
    )
    const { data: rows } = await listConversations({ onBehalfOf: 'bob' })
    expect(rows.map(({ conversationId }) => conversationId)).not.toContain('group_brief')
    await app.given.group('brief', { owner: 'bob' })
    expect(await uidsIn('brief')).toEqual(['bob admin'])
    await addMembers({ params: { guid: 'brief' }, onBehalfOf: 'cid' })
    const { data: seen } = await getGroupConversation({
      params: { guid: 'brief' },
      onBehalfOf: 'bob',
    })
    expect(seen).toMatchObject([{ unreadMessageCount: '1' }])
  })

  test('refuses groups and users that do not exist, outsiders, and all but admins', async () => {
    const by = (guid: string, onBehalfOf: string) => deleteGroup({ params: { guid }, onBehalfOf })
    await expect(by('nothing', 'ann')).rejects.toMatchObject(refusal('ERR_GUID_NOT_FOUND'))
    await expect(by('brief', 'nobody')).rejects.toMatchObject(refusal('ERR_UID_NOT_FOUND'))
    await expect(by('brief', 'outsider')).rejects.toMatchObject(refusal('ERR_GROUP_NOT_JOINED'))
    await expect(by('brief', 'cid')).rejects.toMatchObject(refusal('ERR_GROUP_NO_ADMIN_SCOPE', 403))
  })
})

test('a role may be denied to see, change and delete groups', async () => {
  await app.given.role('reader')
  await app.given.user('rea', { role: 'reader' })
  await app.given.group('library', { owner: 'rea' })
  const featuresToRestrict = ['createGroup', 'getGroup', 'updateGroup', 'deleteGroup']
  await restrictFeatures({ params: { role: 'reader' }, body: { featuresToRestrict } })
  const as = { params: { guid: 'library' }, onBehalfOf: 'rea' }
  const body = { guid: 'more', name: 'x', type: 'public' } as const
  const calls = [
    () => createGroup({ body, onBehalfOf: 'rea' }),
    () => getGroup(as),
    () => updateGroup({ ...as, body: { name: 'x' } }),
    () => deleteGroup(as),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject(refusal('ERR_PERMISSION_DENIED', 403))
  }
})
