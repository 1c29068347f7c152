import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPushFixture } from '../../../../testing/src/notifications/push-fixture.ts'
import { signedIn } from '../../../../testing/src/service/console.ts'
import { notifyUsers } from '../notifications/index.ts'
import { openCases } from '../rules/cases/index.ts'

const fixture = await startPushFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, android } = fixture
app.startWorker([notifyUsers, openCases])
const { appId } = app
const support = await signedIn(app, { [appId]: 'support' })
const viewer = await signedIn(app, { [appId]: 'viewer' })
const calls = support.calls(appId)

beforeAll(async () => {
  await fixture.useGoogle('google')
  const people = { ann: 'Ann Lee', anders: 'Anders Ek', bob: 'Bob Annan', cid: 'Cid 100%' }
  for (const [uid, name] of Object.entries(people)) await full.createUser({ body: { uid, name } })
  const contact = (uid: string, email: string) =>
    full.updateContactDetails({ onBehalfOf: uid, body: { email } })
  await contact('bob', 'Bob@Shop.example')
  await contact('cid', 'anton@shop.example')
})

async function say(from: string, receiver: string, text: string): Promise<string> {
  const body = { receiver, receiverType: 'user', type: 'text', data: { text } } as const
  const { data } = await full.sendMessage({ onBehalfOf: from, body })
  return 'id' in data ? data.id : ''
}

async function found(search: string) {
  const { data } = await calls.findUsers({ query: { search } })
  return data.map(({ uid, foundBy }) => `${uid} by ${foundBy}`)
}

describe('a user is found', () => {
  test('by uid, e-mail address and name, or how they begin, exact ones first', async () => {
    expect(await found('ann')).toEqual(['ann by uid'])
    expect(await found('an')).toEqual(['anders by uid', 'ann by uid', 'cid by email'])
    expect(await found('bob@shop.EXAMPLE')).toEqual(['bob by email'])
    expect(await found(' BOB ann ')).toEqual(['bob by name'])
    expect(await found('  ')).toEqual([])
    // Letters, not wildcards.
    expect(await found('%')).toEqual([])
    expect(await found('cid 100%')).toEqual(['cid by name'])
  })

  test('and not that of another app', async () => {
    const other = await app.anotherApp()
    await app.client(other, 'full').createUser({ body: { uid: 'zed', name: 'Zed' } })
    expect(await found('zed')).toEqual([])
    const zed = { params: { uid: 'zed' } }
    const unknown = { code: 'ERR_UID_NOT_FOUND', status: 404 }
    await expect(calls.getSupportedUser(zed)).rejects.toMatchObject(unknown)
    await expect(calls.listConversationsOfUser(zed)).rejects.toMatchObject(unknown)
  })
})

test('a user is shown with devices, sign-ins, groups and pushes, and no token', async () => {
  const token = await android('bob')
  await app.given.group('den', { owner: 'ann' })
  await full.addMembers({ params: { guid: 'den' }, body: { participants: ['bob'] } })
  await say('ann', 'bob', 'for the list')
  const read = async () => (await calls.getSupportedUser({ params: { uid: 'bob' } })).data
  await expect.poll(async () => (await read()).pushes[0]?.status).toBe('sent')
  const data = await read()
  expect(data).toMatchObject({
    uid: 'bob',
    name: 'Bob Annan',
    email: 'Bob@Shop.example',
    online: false,
    devices: [{ platform: 'fcm_android', kind: 'fcm', type: 'chat' }],
    groups: [{ guid: 'den', scope: 'participant' }],
    pushes: [{ channel: 'push', trigger: 'after_message', sender: 'ann' }],
  })
  expect(data.signIns).toHaveLength(1)
  expect(JSON.stringify(data)).not.toContain(token)
  await full.deactivateUsers({ body: { uidsToDeactivate: ['cid'] } })
  const gone = await calls.getSupportedUser({ params: { uid: 'cid' } })
  expect(gone.data.deactivatedAt).toEqual(expect.any(Number))
})

describe('the timeline of a message', () => {
  const timelineOf = async (id: string) => (await calls.getMessageTimeline({ params: { id } })).data
  const stepsOf = async (id: string) =>
    (await timelineOf(id)).steps.map(({ step, status }) =>
      status === undefined ? step : `${step}: ${status}`,
    )

  test('has its way from the sender to the reader, and nothing of what it says', async () => {
    const id = await say('ann', 'bob', 'a secret word')
    await expect.poll(() => stepsOf(id)).toContain('pushed: sent')
    const back = { onBehalfOf: 'bob', params: { uid: 'ann' }, body: {} } as const
    await full.markUserConversationRead(back)
    const steps = await stepsOf(id)
    expect(steps.slice(0, 3)).toEqual(['received', 'moderated: approved', 'stored'])
    // It is delivered when it is read: in the second of the push, or in a later one.
    expect(steps.slice(3, -1).toSorted()).toEqual(['delivered', 'pushed: sent'])
    expect(steps.at(-1)).toBe('read')
    const data = await timelineOf(id)
    expect(data).toMatchObject({
      messageId: id,
      conversationId: 'ann_user_bob',
      sender: 'ann',
      receiver: 'bob',
      receiverType: 'user',
      recipients: [{ uid: 'bob', readAt: expect.any(Number), push: { verdict: 'sent' } }],
    })
    expect(JSON.stringify(data)).not.toContain('secret')
  })

  test('says why there was no push', async () => {
    const id = await say('bob', 'anders', 'hi')
    const [recipient] = (await timelineOf(id)).recipients
    expect(recipient?.push).toMatchObject({ verdict: 'withheld', reason: 'NO_DEVICE' })
    expect(recipient?.push.says).toMatch(/device/)
  })

  test('says which rule blocked it, what a moderator decided, and that it was deleted', async () => {
    await full.createRule({
      body: {
        id: 'mind',
        name: 'Mind your tongue',
        conditions: [{ operand: 'text', category: 'word', value: 'darn' }],
        action: ['blockMessage'],
      },
    })
    const id = await say('ann', 'bob', 'darn')
    const { steps, recipients } = await timelineOf(id)
    expect(steps[1]).toMatchObject({
      step: 'moderated',
      status: 'disapproved',
      reason: 'Mind your tongue',
    })
    expect(recipients[0]?.push).toMatchObject({ reason: 'MESSAGE_WITHHELD' })
    await expect.poll(() => stepsOf(id)).toContain('reported: blocked')
    await full.reviewBlockedMessage({ params: { messageId: id }, body: { status: 'approved' } })
    expect(await stepsOf(id)).toEqual([
      ...['received', 'moderated: disapproved', 'stored'],
      ...['reported: blocked', 'reviewed: approved', 'pushed: withheld'],
    ])
    const other = await say('ann', 'bob', 'to be deleted')
    await full.deleteMessage({ params: { id: other }, body: {} })
    expect(await stepsOf(other)).toContain('deleted')
  })

  test('of a group comes with its recipients page by page; of nothing it is refused', async () => {
    await app.given.users(...Array.from({ length: 5 }, (_, nth) => `m${nth}`))
    await app.given.group('crowd', { owner: 'ann' })
    const participants = Array.from({ length: 5 }, (_, nth) => `m${nth}`)
    await full.addMembers({ params: { guid: 'crowd' }, body: { participants } })
    const body = { receiver: 'crowd', receiverType: 'group', type: 'text' } as const
    const { data } = await full.sendMessage({
      onBehalfOf: 'ann',
      body: { ...body, data: { text: 'x' } },
    })
    const id = 'id' in data ? data.id : ''
    const pages: string[][] = []
    for (let after: string | undefined; ; ) {
      const query = { limit: 2, ...(after !== undefined && { after }) }
      const { data: page } = await calls.getMessageTimeline({ params: { id }, query })
      expect([page.conversationId, page.receiver]).toEqual(['group_crowd', 'crowd'])
      pages.push(page.recipients.map(({ uid }) => uid))
      if (page.next === undefined) break
      after = page.next
    }
    expect(pages).toEqual([['m0', 'm1'], ['m2', 'm3'], ['m4']])
    await expect(calls.getMessageTimeline({ params: { id: '1' } })).rejects.toMatchObject({
      code: 'ERR_MESSAGE_ID_NOT_FOUND',
    })
  })
})

describe('a conversation is read by support', () => {
  test('with a permission of its own, and each time with a line in the audit log', async () => {
    await say('ann', 'bob', 'between us')
    const { data } = await calls.listConversationsOfUser({ params: { uid: 'bob' } })
    expect(data.map(({ conversationId }) => conversationId)).toContain('ann_user_bob')
    const query = { conversationId: 'ann_user_bob', limit: 100 }
    const messages = (await calls.listMessages({ query })).data
    expect(JSON.stringify(messages)).toContain('between us')
    const none = { code: 'AUTH_ERR_NO_ACCESS', status: 403 }
    await expect(viewer.calls(appId).listMessages({ query })).rejects.toMatchObject(none)
    const uid = { params: { uid: 'bob' } }
    await expect(viewer.calls(appId).listConversationsOfUser(uid)).rejects.toMatchObject(none)
    await expect(viewer.calls(appId).getSupportedUser(uid)).rejects.toMatchObject(none)
    const log = await app.as('full').listAuditLog({ query: { collaboratorId: support.id } })
    expect(log.data.slice(0, 2)).toMatchObject([
      { operation: 'listMessages', input: { query }, name: expect.stringMatching(/^Person/) },
      { operation: 'listConversationsOfUser', input: { params: { uid: 'bob' } } },
    ])
    // A server that reads is not a person who looks.
    await full.listMessages({ query })
    const { data: all } = await app
      .as('full')
      .listAuditLog({ query: { operation: 'listMessages' } })
    expect(all).toHaveLength(1)
  })

  test('who can answer as the app, and as no user', async () => {
    const body = { receiver: 'bob', receiverType: 'user', type: 'text' } as const
    const { data } = await calls.sendMessage({ body: { ...body, data: { text: 'We help.' } } })
    expect(data).toMatchObject({ sender: 'app_system', receiver: 'bob' })
    const asAnn = { onBehalfOf: 'ann', body: { ...body, data: { text: 'x' } } }
    const none = { code: 'AUTH_ERR_NO_ACCESS' }
    await expect(calls.sendMessage(asAnn)).rejects.toMatchObject(none)
    await expect(viewer.calls(appId).sendMessage({ body })).rejects.toMatchObject(none)
    const query = { operation: 'sendMessage' }
    expect((await app.as('full').listAuditLog({ query })).data).toMatchObject([
      { collaboratorId: support.id, input: { body: { receiver: 'bob' } } },
    ])
  })
})
