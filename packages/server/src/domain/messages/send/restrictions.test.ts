import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
const denied = { code: 'ERR_PERMISSION_DENIED', status: 403 }
await app.given.users('ann', 'bob', 'cyd')

let made = 0
/** A user of a role of their own. */
async function restricted(
  permissions: Record<string, string | string[]>,
  featuresToRestrict: string[] = [],
): Promise<string> {
  const uid = `user${made++}`
  await app.given.role(uid)
  await app.given.user(uid, { role: uid })
  await full.setRolePermissions({ params: { role: uid }, body: { permissions } })
  if (featuresToRestrict.length > 0) {
    await full.restrictFeatures({ params: { role: uid }, body: { featuresToRestrict } })
  }
  return uid
}

const set = (settings: Record<string, boolean>) =>
  full.mapAppSettings({ params: { appId: app.appId }, body: { settings } })

describe('features', () => {
  test('M4: who may neither ban nor add members does not do it in a call of another name', async () => {
    const noBans = await restricted({}, ['ban'])
    const noAdding = await restricted({}, ['addMember'])
    const oneByOne = await restricted({}, ['massMemberOperate'])
    const create = (onBehalfOf: string, guid: string, members?: object) =>
      full.createGroup({
        onBehalfOf,
        body: { guid, name: guid, type: 'public', ...(members && { members }) },
      })
    const add = (
      onBehalfOf: string,
      guid: string,
      body: NonNullable<CallInput<Api['addMembers']>['body']>,
    ) => full.addMembers({ params: { guid }, onBehalfOf, body })
    await expect(create(noBans, 'g1', { usersToBan: ['bob'] })).rejects.toMatchObject(denied)
    await create(noBans, 'g1', { participants: ['bob'] })
    await expect(add(noBans, 'g1', { usersToBan: ['bob'] })).rejects.toMatchObject(denied)
    await add(noBans, 'g1', { participants: ['cyd'] })
    await expect(create(noAdding, 'g2', { participants: ['bob'] })).rejects.toMatchObject(denied)
    await create(noAdding, 'g2')
    await expect(add(noAdding, 'g2', { participants: ['bob'] })).rejects.toMatchObject(denied)
    const handOver = { params: { guid: 'g2' }, onBehalfOf: noAdding, body: { owner: 'ann' } }
    await expect(full.transferGroupOwnership(handOver)).rejects.toMatchObject(denied)
    await expect(create(oneByOne, 'g3', { participants: ['bob', 'cyd'] })).rejects.toMatchObject(
      denied,
    )
    await create(oneByOne, 'g3', { participants: ['bob'] })
  })

  test('M4: who may not delete the messages of a group does not delete its conversation', async () => {
    const uid = await restricted({}, ['deleteGroupMessages'])
    await full.createGroup({
      onBehalfOf: uid,
      body: { guid: 'kept', name: 'kept', type: 'public' },
    })
    await message(uid, 'kept', { receiverType: 'group' })
    const params = { conversationId: 'group_kept' }
    await expect(full.deleteConversation({ params, onBehalfOf: uid })).rejects.toMatchObject(denied)
  })
})

describe('groups', () => {
  test('M4: a type of group that a role may not create is not made of another', async () => {
    const uid = await restricted({ 'createGroup.allowedGroupTypes': ['public'] })
    const group = { guid: 'open', name: 'open', type: 'public' } as const
    await full.createGroup({ onBehalfOf: uid, body: group })
    const update = (body: NonNullable<CallInput<Api['updateGroup']>['body']>) =>
      full.updateGroup({ params: { guid: 'open' }, onBehalfOf: uid, body })
    await expect(update({ type: 'private' })).rejects.toMatchObject(denied)
    await update({ type: 'public', name: 'Open' })
  })

  test('M4: who may not list members is not told whom a message has reached', async () => {
    await app.given.group('choir', { owner: 'ann', members: { participants: ['bob', 'cyd'] } })
    const { id } = await message('bob', 'choir', { receiverType: 'group' })
    const params = { guid: 'choir', scope: 'participant' } as const
    await full.setScopePermissions({ params, body: { permissions: { listMembers: 'deny' } } })
    const receipts = (onBehalfOf: string) => full.listReceipts({ params: { id }, onBehalfOf })
    await expect(receipts('bob')).rejects.toMatchObject(denied)
    await receipts('ann')
  })

  test('L18: who comes later reads what was said before, unless the app says otherwise', async () => {
    await app.given.group('club', { type: 'private', owner: 'ann' })
    const { id } = await message('ann', 'club', { receiverType: 'group' })
    const come = (uid: string) =>
      full.addMembers({ params: { guid: 'club' }, body: { participants: [uid] } })
    const read = async (onBehalfOf: string) => {
      const { data } = await full.listGroupMessages({ params: { guid: 'club' }, onBehalfOf })
      return data.flatMap((row) => ('id' in row ? [row.id] : []))
    }
    await come('bob')
    expect(await read('bob')).toContain(id)
    await set({ 'groups.newMembersSeeHistory': false })
    await come('cyd')
    expect(await read('cyd')).not.toContain(id)
    await expect(full.getMessage({ params: { id }, onBehalfOf: 'cyd' })).rejects.toMatchObject({
      code: 'ERR_MESSAGE_NO_ACCESS',
    })
    const { id: next } = await message('ann', 'club', { receiverType: 'group' })
    expect(await read('cyd')).toContain(next)
    await set({ 'groups.newMembersSeeHistory': true })
  })
})

describe('calls', () => {
  const ring = (uid: string, receiver: string, more: object = {}, type = 'video') =>
    message(uid, receiver, { category: 'call', type, data: { action: 'initiated' }, ...more })
  const inGroup = { receiverType: 'group' } as const

  test.each<[string, Record<string, string | string[]>, string[]]>([
    ['denied', { initiateCall: 'deny' }, []],
    ['friends', { 'initiateCall.mode': 'friends' }, []],
    ['roles', { 'initiateCall.allowedReceiverRoles': ['staff'] }, []],
    ['createCall', {}, ['createCall']],
  ])('M4: initiateCall of a role: %s', async (_, permissions, features) => {
    const uid = await restricted(permissions, features)
    await expect(ring(uid, 'bob')).rejects.toMatchObject(denied)
    // Whoever is called may answer.
    await message(uid, 'bob', { category: 'call', type: 'video', data: { action: 'rejected' } })
    const { id } = await message(uid, 'bob', {
      category: 'call',
      type: 'video',
      data: { action: 'ended' },
    })
    const again = { params: { id }, onBehalfOf: uid, body: { data: { action: 'initiated' } } }
    await expect(full.editMessage(again)).rejects.toMatchObject(denied)
  })

  test('M4: initiateCall of a scope: who, whom and which kind', async () => {
    await app.given.group('band', {
      owner: 'ann',
      members: { moderators: ['cyd'], participants: ['bob'] },
    })
    const params = { guid: 'band', scope: 'moderator' } as const
    const only = async (permissions: Record<string, string>) => {
      for (const permission of [
        'initiateCall',
        'initiateCall.allowedScopes',
        'initiateCall.allowedType',
      ]) {
        await full.unsetScopePermission({ params: { ...params, permission } })
      }
      await full.setScopePermissions({ params, body: { permissions } })
    }
    for (const permissions of [
      { initiateCall: 'deny' },
      { initiateCall: 'friends' },
      { 'initiateCall.allowedScopes': 'admin' },
      { 'initiateCall.allowedType': 'audio' },
    ]) {
      await only(permissions)
      await expect(ring('cyd', 'band', inGroup)).rejects.toMatchObject(denied)
    }
    await ring('cyd', 'band', inGroup, 'audio')
    await only({ initiateCall: 'friends' })
    await full.addFriends({ params: { uid: 'cyd' }, body: { accepted: ['ann', 'bob'] } })
    await ring('cyd', 'band', inGroup)
  })
})

describe('lists', () => {
  test('M4: a role sees the categories and types that it may see', async () => {
    const uid = await restricted({ 'listMessages.allowedMessageTypes': ['text'] })
    await message(uid, 'bob')
    await message('bob', uid, { category: 'custom', type: 'poll', data: { customData: {} } })
    const attachments = [{ url: 'https://x.example/a.png' }]
    await message('bob', uid, { type: 'image', data: { attachments } })
    const types = async () => {
      const params = { uid: 'bob' }
      const { data } = await full.listUserMessages({ params, onBehalfOf: uid })
      return data.flatMap((row) => ('type' in row ? [row.type] : []))
    }
    expect(await types()).toEqual(['text', 'poll'])
    await full.setRolePermissions({
      params: { role: uid },
      body: { permissions: { 'listMessages.allowedMessageCategories': ['custom'] } },
    })
    expect(await types()).toEqual(['poll'])
  })

  test('M4: a mention shows nobody whom its sender may not see', async () => {
    const uid = await restricted({ 'getUserDetails.mode': 'friends', listUsers: 'deny' })
    await full.updateUser({ params: { uid: 'cyd' }, body: { avatar: 'https://x.example/cyd.png' } })
    const text = `<@uid:cyd> <@uid:nobody> <@uid:${uid}>`
    const { id, data } = await message(uid, 'bob', { data: { text } })
    const bare = { name: 'cyd', role: 'default', status: 'offline', createdAt: 0 }
    const mentions = { cyd: { uid: 'cyd', ...bare }, [uid]: { name: uid.toUpperCase() } }
    expect(data).toMatchObject({ mentions })
    expect(JSON.stringify(data)).not.toContain('cyd.png')
    await full.editMessage({ params: { id }, onBehalfOf: uid, body: { data: { text } } })
    const { data: now } = await full.getMessage({ params: { id }, onBehalfOf: uid })
    expect(JSON.stringify(now)).not.toContain('cyd.png')
    await full.addFriends({ params: { uid }, body: { accepted: ['cyd'] } })
    const friends = await message(uid, 'bob', { data: { text } })
    expect(JSON.stringify(friends)).toContain('cyd.png')
  })

  test('L8: a device lists those who are there, unless the app shows it more', async () => {
    await app.given.user('old')
    await full.deactivateUsers({ body: { uidsToDeactivate: ['old'] } })
    const { calls } = await app.device('ann')
    for (const query of [{ onlyDeactivated: true }, { withDeactivated: true }]) {
      await expect(calls.listUsers({ query })).rejects.toMatchObject(denied)
    }
    await set({ 'users.devicesListDeactivated': true })
    const { data } = await calls.listUsers({ query: { onlyDeactivated: true } })
    expect(data).toMatchObject([{ uid: 'old' }])
  })

  test('L10: an app may keep devices from saying where their user is reached', async () => {
    const { calls } = await app.device('ann')
    const body = { email: 'ann@example.org' }
    await calls.updateContactDetails({ body })
    await set({ 'notifications.devicesSetContacts': false })
    await expect(calls.updateContactDetails({ body })).rejects.toMatchObject(denied)
    await full.updateContactDetails({ onBehalfOf: 'ann', body })
  })
})

describe('moderation', async () => {
  const rule = (id: string, more: Partial<CallInput<Api['createRule']>['body']> = {}) =>
    full.createRule({
      body: { id, conditions: [{ value: 'spam' }], action: ['blockMessage'], ...more },
    })
  const statusOf = ({ data }: { data: object }) =>
    'moderation' in data ? (data.moderation as { status: string }).status : undefined

  test('M4: reactions are words, too', async () => {
    await rule('plain')
    const { id } = await message('ann', 'bob')
    const refused = { code: 'ERR_BLOCKED_BY_RULE', status: 403 }
    const react = (reaction: string) =>
      full.addReaction({ params: { id, reaction }, onBehalfOf: 'bob' })
    await expect(react('buy spam')).rejects.toMatchObject(refused)
    const body = { reaction: 'spam' }
    await expect(
      full.addReactionInBody({ params: { id }, onBehalfOf: 'bob', body }),
    ).rejects.toMatchObject(refused)
    expect((await react('ham')).data.data).toMatchObject({ reactions: [{ reaction: 'ham' }] })
  })

  test('M4: so is what a call says', async () => {
    const call = (data: object) =>
      message('ann', 'bob', { category: 'call', type: 'audio', data: { ...data } })
    expect(statusOf(await call({ action: 'initiated', text: 'buy spam' }))).toBe('disapproved')
    expect(statusOf(await call({ action: 'ended' }))).toBeUndefined()
    await full.deleteRule({ params: { ruleId: 'plain' } })
  })

  test('M4: a device does not change what a rule looks at so that it looks away', async () => {
    const filter = { type: 'sender', entity: 'user', operator: 'not in', value: 'trusted' } as const
    await rule('strangers', { filters: [{ ...filter, operand: 'tags' }] })
    await rule('names', {
      filters: [{ ...filter, operand: 'name', operator: 'not equals', value: 'Admin' }],
    })
    const { calls } = await app.device('bob')
    await expect(calls.updateMe({ body: { tags: ['trusted'] } })).rejects.toMatchObject(denied)
    await expect(calls.updateMe({ body: { name: 'Admin' } })).rejects.toMatchObject(denied)
    await calls.updateMe({ body: { tags: ['red'], name: 'Bobby', statusMessage: 'hi' } })
    const said = await message('bob', 'cyd', { data: { text: 'spam' } })
    expect(statusOf(said)).toBe('disapproved')
    await full.updateUser({ params: { uid: 'bob' }, body: { tags: ['trusted'] } })
    await expect(calls.updateMe({ body: { tags: [] } })).rejects.toMatchObject(denied)
  })

  test('M4: nor does it with a group', async () => {
    const filters = [
      { type: 'receiver', entity: 'group', operand: 'tags', operator: 'notIn', value: 'adult' },
    ] as const
    await rule('minors', { filters: [...filters] })
    const { calls } = await app.device('bob')
    const group = { guid: 'party', name: 'Party', type: 'public' } as const
    const withTags = { body: { ...group, tags: ['adult'] } }
    await expect(calls.createGroup(withTags)).rejects.toMatchObject(denied)
    await calls.createGroup({ body: { ...group, tags: ['fun'] } })
    const update = (tags: string[]) =>
      calls.updateGroup({ params: { guid: 'party' }, body: { tags } })
    await expect(update(['adult'])).rejects.toMatchObject(denied)
    await update(['fun', 'loud'])
  })
})
