import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../../testing/src/service/test-app.ts'

let now = 1_800_000_000
const app = await startTestApp({ clock: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
const { message } = app.given
const denied = { code: 'ERR_PERMISSION_DENIED', status: 403 }

const edit = (onBehalfOf: string, id: string, data: object = { text: 'abuse' }) =>
  full.editMessage({ params: { id }, onBehalfOf, body: { data: { ...data } } })
const react = (onBehalfOf: string, id: string, reaction = 'ok') =>
  full.addReaction({ params: { id, reaction }, onBehalfOf })
const block = (uid: string, other: string) =>
  full.blockUsers({ params: { uid }, body: { blockedUids: [other] } })
const textOf = async (id: string) => (await full.getMessage({ params: { id } })).data.data.text

/** A user of a role that may do less from now on. */
async function under(
  role: string,
  permissions: Record<string, string | string[]>,
  featuresToRestrict: string[] = [],
) {
  await full.setRolePermissions({ params: { role }, body: { permissions } })
  if (featuresToRestrict.length > 0) {
    await full.restrictFeatures({ params: { role }, body: { featuresToRestrict } })
  }
}

async function userOf(role: string) {
  await app.given.role(role)
  await app.given.user(role, { role })
  return role
}

await app.given.users('ann', 'bob', 'cyd', 'dan')
await app.given.group('news', { owner: 'ann', members: { participants: ['bob', 'cyd'] } })
const toNews = { receiverType: 'group' } as const

describe('H5: an edit is a send', () => {
  test('H5: a block stops edits, pins and answers in both directions', async () => {
    const { id } = await message('dan', 'bob')
    const form = await message('bob', 'dan', {
      category: 'interactive',
      type: 'form',
      data: { interactiveData: { formFields: [{ elementId: 'yes' }] } },
    })
    const answer = (onBehalfOf: string, of = form.id) =>
      full.markInteracted({ params: { id: of }, onBehalfOf, body: { interactions: ['yes'] } })
    await block('bob', 'dan')
    for (const call of [
      () => edit('dan', id),
      () => full.editMessage({ params: { id }, onBehalfOf: 'dan', body: { tags: ['abuse'] } }),
      () => full.pinMessage({ params: { id }, onBehalfOf: 'dan' }),
      () => answer('dan'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_BLOCKED_SENDER', status: 403 })
    }
    expect(await textOf(id)).toBe('hello')
    for (const call of [
      () => edit('bob', form.id, { interactiveData: { text: 'abuse' } }),
      () => full.pinMessage({ params: { id }, onBehalfOf: 'bob' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_BLOCKED_RECEIVER' })
    }
    // The app itself may.
    await full.editMessage({ params: { id }, body: { data: { text: 'by the app' } } })
    expect(await textOf(id)).toBe('by the app')
  })

  test('H5: who answers a form is stopped by a block of their own, too', async () => {
    const form = await message('cyd', 'dan', {
      category: 'interactive',
      type: 'form',
      data: { interactiveData: { formFields: [{ elementId: 'yes' }] } },
    })
    await block('dan', 'cyd')
    const body = { interactions: ['yes'] }
    await expect(
      full.markInteracted({ params: { id: form.id }, onBehalfOf: 'dan', body }),
    ).rejects.toMatchObject({ code: 'ERR_BLOCKED_RECEIVER' })
  })

  test('H5: a group whose participants may not write stays as it is', async () => {
    const { id } = await message('bob', 'news', toNews)
    const scope = { guid: 'news', scope: 'participant' } as const
    await full.setScopePermissions({
      params: scope,
      body: { permissions: { sendMessage: 'deny' } },
    })
    await expect(message('bob', 'news', toNews)).rejects.toMatchObject(denied)
    await expect(edit('bob', id)).rejects.toMatchObject(denied)
    // Its own permission says who may react.
    await react('bob', id)
    await full.setScopePermissions({
      params: scope,
      body: { permissions: { sendMessage: 'allow', sendThreadedMessage: 'deny' } },
    })
    await edit('bob', id)
    await full.unsetScopePermission({ params: { ...scope, permission: 'sendThreadedMessage' } })
    const reply = await full.replyToMessage({
      params: { id },
      onBehalfOf: 'bob',
      body: { data: { text: 'hello' } },
    })
    await full.setScopePermissions({
      params: scope,
      body: { permissions: { sendThreadedMessage: 'deny' } },
    })
    await expect(edit('bob', reply.data.id)).rejects.toMatchObject(denied)
  })

  test('H5: a role that restricts types of files wants to know them, in sends and edits', async () => {
    const uid = await userOf('painter')
    await under(uid, { 'sendMessage.allowedMimeTypes': ['image/png'] })
    const file = (more: object) => ({ attachments: [{ url: 'https://x.example/a', ...more }] })
    const send = (data: object, more: Partial<CallInput<Api['sendMessage']>['body']> = {}) =>
      message(uid, 'ann', { type: 'file', data: { ...data }, ...more })
    const { id } = await send(file({ mimeType: 'image/png' }))
    const exe = file({ mimeType: 'application/x-msdownload' })
    await expect(send(exe)).rejects.toMatchObject(denied)
    await expect(send(file({}))).rejects.toMatchObject(denied)
    const custom = { category: 'custom', type: 'x' } as const
    for (const attachments of [[null], ['x'], { url: 'x' }, [{ mimeType: 1 }]]) {
      const data = { customData: {}, attachments }
      const refused = { code: 'ERR_INVALID_MEDIA_MESSAGE' }
      await expect(send(data, custom)).rejects.toMatchObject(refused)
    }
    await send({ customData: {} }, custom)
    await expect(edit(uid, id, exe)).rejects.toMatchObject(denied)
    await expect(edit(uid, id, file({}))).rejects.toMatchObject(denied)
    await edit(uid, id, file({ mimeType: 'image/png', name: 'b' }))
  })

  test.each<[string, Record<string, string | string[]>, string[], boolean]>([
    ['may not send', { sendMessage: 'deny' }, [], true],
    ['may write to friends only', { 'sendMessage.mode': 'friends' }, [], true],
    ['may write to groups only', { 'sendMessage.allowedReceiverTypes': ['group'] }, [], true],
    ['may write to a role only', { 'sendMessage.allowedReceiverRoles': ['staff'] }, [], true],
    ['may send files only', { 'sendMessage.allowedMessageTypes': ['file'] }, [], false],
    ['may send custom messages', { 'sendMessage.allowedMessageCategories': ['custom'] }, [], false],
    ['has no feature createMessage', {}, ['createMessage'], true],
  ])('H5: a role that %s neither edits, replies nor reacts', async (_, denies, features, toAll) => {
    const uid = await userOf(`role${now++}`)
    const { id } = await message(uid, 'ann')
    const { id: heard } = await message('ann', uid)
    await under(uid, denies, features)
    await expect(message(uid, 'ann')).rejects.toMatchObject(denied)
    await expect(edit(uid, id)).rejects.toMatchObject(denied)
    const params = { id: heard }
    await expect(
      full.replyToMessage({ params, onBehalfOf: uid, body: { data: { text: 'x' } } }),
    ).rejects.toMatchObject(denied)
    const reacted = react(uid, heard)
    await (toAll ? expect(reacted).rejects.toMatchObject(denied) : reacted)
    expect(await textOf(id)).toBe('hello')
  })
})

test('H5: what a message says can be changed for as long as the app lets it', async () => {
  const window = (seconds: number) =>
    full.mapAppSettings({
      params: { appId: app.appId },
      body: { settings: { 'messages.editWindowSeconds': seconds } },
    })
  const { id } = await message('ann', 'cyd')
  now += 3600
  await edit('ann', id)
  await window(60)
  const closed = { code: 'ERR_EDIT_WINDOW_CLOSED', status: 403 }
  await expect(edit('ann', id)).rejects.toMatchObject(closed)
  const { id: fresh } = await message('ann', 'cyd')
  now += 60
  await edit('ann', fresh)
  now += 1
  await expect(edit('ann', fresh)).rejects.toMatchObject(closed)
  await full.editMessage({ params: { id: fresh }, body: { data: { text: 'by the app' } } })
  await window(0)
  await edit('ann', fresh)
})

test('L6: a device cannot say what a hook has said; an edit leaves that alone', async () => {
  const { calls } = await app.device('ann')
  const forged = { '@injected': { webhooks: { bank: { verified: true } } } }
  const { data } = await calls.sendMessage({
    body: {
      receiver: 'cyd',
      receiverType: 'user',
      data: { text: 'x', metadata: { a: 1, ...forged } },
    },
  })
  expect(data).toMatchObject({ data: { metadata: { a: 1 } } })
  expect(JSON.stringify(data)).not.toContain('@injected')
  const real = await message('ann', 'cyd', { data: { text: 'x', metadata: forged } })
  expect(real.data).toMatchObject({ metadata: forged })
  const other = { '@injected': { webhooks: { bank: { verified: false } } } }
  await calls.editMessage({
    params: { id: real.id },
    body: { data: { text: 'y', metadata: { b: 2, ...other } } },
  })
  const { data: now } = await full.getMessage({ params: { id: real.id } })
  expect(now.data).toMatchObject({ text: 'y', metadata: { b: 2, ...forged } })
})

test('L2: a private group does not exist for those who are not in it, whatever they call', async () => {
  await app.given.group('secret', { type: 'private', owner: 'ann' })
  const onBehalfOf = 'bob'
  for (const guid of ['secret', 'nowhere']) {
    for (const call of [
      () => message(onBehalfOf, guid, toNews),
      () => full.listGroupMessages({ params: { guid }, onBehalfOf }),
      () => full.getGroupConversation({ params: { guid }, onBehalfOf }),
      () => full.markGroupConversationRead({ params: { guid }, onBehalfOf }),
      () => full.getGroup({ params: { guid }, onBehalfOf }),
      () => full.listMembers({ params: { guid }, onBehalfOf }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'ERR_GUID_NOT_FOUND', status: 404 })
    }
  }
})
