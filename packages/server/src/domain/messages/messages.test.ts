import { afterAll, describe, expect, test } from 'vitest'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const full = app.as('full')
await app.given.users('ann', 'bob', 'cyd')
await app.given.group('tea', {
  owner: 'ann',
  members: { moderators: ['cyd'], participants: ['bob'] },
})

async function said(onBehalfOf: string, receiver: string, receiverType: 'user' | 'group') {
  const body = { receiver, receiverType, data: { text: 'hello' } }
  const { data } = await full.sendMessage({ onBehalfOf, body })
  if (!('id' in data)) throw new Error('One receiver, one message.')
  return data
}

const edit = { data: { text: 'hello again' } }

describe('get', () => {
  test('shows a message to those in its conversation, and to the app', async () => {
    const { id } = await said('ann', 'bob', 'user')
    expect((await full.getMessage({ params: { id }, onBehalfOf: 'bob' })).data.data.text).toBe(
      'hello',
    )
    expect((await full.getMessage({ params: { id } })).data.id).toBe(id)
    await expect(full.getMessage({ params: { id }, onBehalfOf: 'cyd' })).rejects.toMatchObject({
      code: 'ERR_MESSAGE_NO_ACCESS',
    })
    await expect(full.getMessage({ params: { id: '1' } })).rejects.toMatchObject({
      code: 'ERR_MESSAGE_ID_NOT_FOUND',
    })
  })

  test('does not find a message of another app', async () => {
    const { id } = await said('ann', 'bob', 'user')
    const other = app.client(await app.anotherApp(), 'full')
    const notFound = { code: 'ERR_MESSAGE_ID_NOT_FOUND' }
    await expect(other.getMessage({ params: { id } })).rejects.toMatchObject(notFound)
    await expect(other.editMessage({ params: { id }, body: edit })).rejects.toMatchObject(notFound)
    await expect(other.deleteMessage({ params: { id } })).rejects.toMatchObject(notFound)
  })
})

describe('edit', () => {
  test('answers an action message whose subject is the message as it is now', async () => {
    const { id } = await said('ann', 'bob', 'user')
    const { data } = await full.editMessage({ params: { id }, onBehalfOf: 'ann', body: edit })
    expect(data).toMatchObject({
      category: 'action',
      type: 'message',
      data: {
        action: 'edited',
        entities: {
          by: { entity: { uid: 'ann' } },
          on: {
            entityType: 'message',
            entity: { id, editedBy: 'ann', data: { text: 'hello again' } },
          },
        },
      },
    })
    const { data: now } = await full.getMessage({ params: { id } })
    expect(now).toMatchObject({ editedBy: 'ann', editedAt: expect.any(Number) })
  })

  test('in a group also moderators and admins, nobody else', async () => {
    const { id } = await said('ann', 'tea', 'group')
    await full.editMessage({ params: { id }, onBehalfOf: 'cyd', body: edit })
    await expect(
      full.editMessage({ params: { id }, onBehalfOf: 'bob', body: edit }),
    ).rejects.toMatchObject({ code: 'ERR_MESSAGE_NOT_A_SENDER' })
  })

  test('checks what it is given, and leaves action messages alone', async () => {
    const { id } = await said('ann', 'bob', 'user')
    await expect(
      full.editMessage({ params: { id }, onBehalfOf: 'ann', body: { data: { text: '' } } }),
    ).rejects.toMatchObject({ code: 'ERR_EMPTY_MESSAGE_TEXT' })
    const { data: action } = await full.editMessage({ params: { id }, body: edit })
    await expect(full.editMessage({ params: { id: action.id }, body: edit })).rejects.toMatchObject(
      {
        code: 'ERR_MESSAGE_ACTION_NOT_ALLOWED',
      },
    )
  })
})

test('a scope that may not edit in its group does not edit what it has said itself', async () => {
  const { id } = await said('bob', 'tea', 'group')
  const params = { guid: 'tea', scope: 'participant' } as const
  await full.setScopePermissions({ params, body: { permissions: { editMessage: 'deny' } } })
  await expect(
    full.editMessage({ params: { id }, onBehalfOf: 'bob', body: edit }),
  ).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED' })
  await full.unsetScopePermission({ params: { ...params, permission: 'editMessage' } })
  await full.editMessage({ params: { id }, onBehalfOf: 'bob', body: edit })
})

test('a message that a reset has hidden cannot be read by its id', async () => {
  const { id } = await said('ann', 'bob', 'user')
  await full.resetUserConversation({ params: { uid: 'ann' }, onBehalfOf: 'bob' })
  const { id: next } = await said('ann', 'bob', 'user')
  const get = (of: string, onBehalfOf: string) =>
    full.getMessage({ params: { id: of }, onBehalfOf })
  await expect(get(id, 'bob')).rejects.toMatchObject({ code: 'ERR_MESSAGE_NO_ACCESS' })
  expect((await get(next, 'bob')).data.id).toBe(next)
  expect((await get(id, 'ann')).data.id).toBe(id)
})

const customData = { customData: { a: 1 } }
const attachments = [{ url: 'https://x.example/a.png' }]
const bad: [string, string, object, object, string][] = [
  ['message', 'text', { text: 'x' }, { text: 1 }, 'ERR_INVALID_MESSAGE_TEXT'],
  ['message', 'text', { text: 'x' }, { text: 'y', metadata: 1 }, 'ERR_INVALID_METADATA'],
  ['message', 'image', { attachments }, {}, 'ERR_EMPTY_MESSAGE_FILE'],
  ['message', 'image', { attachments }, { attachments: 1 }, 'ERR_INVALID_MEDIA_MESSAGE'],
  ['custom', 'poll', customData, {}, 'ERR_EMPTY_CUSTOM_DATA'],
  ['custom', 'poll', customData, { customData: 1 }, 'ERR_INVALID_CUSTOM_DATA'],
  ['interactive', 'form', { interactiveData: {} }, {}, 'ERR_INVALID_MESSAGE_DATA'],
]

test.each(bad)('an edit of %s %s %j may not make it %j', async (category, type, data, to, code) => {
  const body = { receiver: 'bob', receiverType: 'user', category, type, data } as const
  // The category comes from the table above.
  const { data: sent } = await full.sendMessage({ onBehalfOf: 'ann', body: body as never })
  if (!('id' in sent)) throw new Error('One receiver, one message.')
  const edited = full.editMessage({ params: { id: sent.id }, body: { data: { ...to } } })
  await expect(edited).rejects.toMatchObject({ code })
})

test('strangers, unknown users and denied roles neither see nor change a message', async () => {
  const { id } = await said('ann', 'bob', 'user')
  await app.given.role('mute')
  await app.given.user('mia', { role: 'mute' })
  const { id: own } = await said('mia', 'bob', 'user')
  const permissions = { editMessage: 'deny', deleteMessage: 'deny' }
  await full.setRolePermissions({ params: { role: 'mute' }, body: { permissions } })
  await full.restrictFeatures({
    params: { role: 'mute' },
    body: { featuresToRestrict: ['getMessage'] },
  })
  const calls = (params: { id: string }, onBehalfOf: string) => [
    () => full.getMessage({ params, onBehalfOf }),
    () => full.editMessage({ params, onBehalfOf, body: edit }),
    () => full.deleteMessage({ params, onBehalfOf }),
  ]
  const expectAll = async (all: (() => Promise<unknown>)[], code: string) => {
    for (const call of all) await expect(call()).rejects.toMatchObject({ code })
  }
  await expectAll(calls({ id }, 'cyd'), 'ERR_MESSAGE_NO_ACCESS')
  await expectAll(calls({ id }, 'nobody'), 'ERR_UID_NOT_FOUND')
  await expectAll(calls({ id: own }, 'mia'), 'ERR_PERMISSION_DENIED')
  await expectAll(calls({ id: '1' }, 'ann'), 'ERR_MESSAGE_ID_NOT_FOUND')
  const [, , remove] = calls({ id }, 'bob')
  await expectAll(remove ? [remove] : [], 'ERR_MESSAGE_NOT_A_SENDER')
  const { data: action } = await full.editMessage({ params: { id }, body: edit })
  await expect(full.deleteMessage({ params: { id: action.id } })).rejects.toMatchObject({
    code: 'ERR_MESSAGE_ACTION_NOT_ALLOWED',
  })
})

describe('delete', () => {
  test('soft: it stays without what it said, and no longer counts as unread', async () => {
    const { id } = await said('ann', 'bob', 'user')
    const unread = async () => {
      const { data } = await full.getUserConversation({ params: { uid: 'ann' }, onBehalfOf: 'bob' })
      return Number(data[0]?.unreadMessageCount)
    }
    const before = await unread()
    const { data } = await full.deleteMessage({ params: { id }, onBehalfOf: 'ann' })
    expect(data).toMatchObject({
      category: 'action',
      data: { action: 'deleted', entities: { on: { entity: { id, deletedBy: 'ann' } } } },
    })
    expect(await unread()).toBe(before - 1)
    const { data: now } = await full.getMessage({ params: { id } })
    expect(now).toMatchObject({ deletedBy: 'ann', deletedAt: expect.any(Number) })
    expect(now.data).not.toHaveProperty('text')
  })

  test('for ever: it is gone, and its place in the log stays', async () => {
    const { id } = await said('ann', 'tea', 'group')
    await full.deleteMessage({ params: { id }, body: { permanent: true } })
    await expect(full.getMessage({ params: { id } })).rejects.toMatchObject({
      code: 'ERR_MESSAGE_ID_NOT_FOUND',
    })
    const next = await said('bob', 'tea', 'group')
    expect(Number(next.id)).toBeGreaterThan(Number(id))
  })
})
