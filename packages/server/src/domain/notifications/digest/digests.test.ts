import type { Api } from '@chorale/contract/api'
import type { CallInput } from '@chorale/contract/operation'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  patiently,
  startDigestFixture,
} from '../../../../../testing/src/notifications/digest-fixture.ts'

const fixture = await startDigestFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, server, pair, pass, emails, texts, announced, announces } = fixture

const twoHours = 7200
const minute = 60
await full.createSendGrid({
  body: {
    sendGridApiKey: 'SG.key',
    sendGridTemplateID: 'd-1',
    sendGridUnsubscribeGroupID: '7',
    senderName: 'Tea house',
    senderEmail: 'tea@chorale.example',
  },
})
await full.createTwilio({
  body: {
    twilioAccountSID: 'AC1',
    twilioAuthToken: 'secret',
    twilioSenderPhoneNumber: '+15550100',
  },
})
await full.switchNotificationLogs({ body: { enabled: true } })

beforeEach(async () => {
  await full.resetNotificationSettings({})
  await change({ sms: { intervalInSeconds: minute, maxPerDay: 30, maxPerDayPerConversation: 30 } })
})

// What one test leaves undone, the next one would find at its carriers.
afterEach(() => fixture.rests())

type Changes = CallInput<Api['updateNotificationSettings']>['body']
const change = (preferences: NonNullable<NonNullable<Changes>['preferences']>) =>
  full.updateNotificationSettings({ body: { preferences } })
const say = async (from: string, to: string, text = 'hello') =>
  (await app.given.message(from, to, { data: { text } })).id
const sayIn = (guid: string, from: string) =>
  app.given.message(from, guid, { receiverType: 'group' })
const read = (uid: string, by: string, messageId?: string) =>
  full.markUserConversationRead({
    params: { uid },
    onBehalfOf: by,
    body: messageId === undefined ? {} : { messageId },
  })
const logs = async (uid: string, channel: 'email' | 'sms' = 'email') =>
  (await full.listNotificationLogs({ query: { uid, channel } })).data
const reasons = async (uid: string, channel?: 'sms') =>
  (await logs(uid, channel)).map(({ reason }) => reason)
const words = (uid: string) =>
  emails(uid).map(({ personalizations: [{ dynamic_template_data: data }] }) =>
    data.messages.map(({ message }) => message),
  )
/** So many have come, and the log says so. */
async function comes(uid: string, ...digests: readonly (readonly string[])[]) {
  await expect.poll(() => words(uid), patiently).toEqual(digests)
  const sent = async () => (await logs(uid)).filter(({ success }) => success)
  await expect.poll(sent, patiently).toHaveLength(digests.length)
}
const isWithheld = (uid: string, ...expected: readonly (string | undefined)[]) =>
  expect.poll(() => reasons(uid), patiently).toEqual(expected)

describe('a digest', () => {
  test('comes when its interval is over, and not before', async () => {
    const [ann, bob] = await pair()
    const [eve, kim] = await pair()
    await say(ann, bob)
    await announces(bob, 1)
    await pass(twoHours - 5 * minute)
    await say(eve, kim)
    await announces(kim, 1)
    await pass(minute)
    // All digests have one runner: what it has sent since, it would have sent behind this one.
    await expect.poll(() => texts(kim), patiently).toHaveLength(1)
    expect(emails(bob)).toEqual([])
    expect((await logs(bob))[0]).not.toHaveProperty('success')
    await pass(4 * minute)
    await comes(bob, ['hello'])
    expect((await logs(bob))[0]).toMatchObject({
      channel: 'email',
      provider: 'sendgrid',
      trigger: 'after_message',
      sender: ann,
      success: true,
      notificationTriggered: true,
      payload: { subject: `1 new messages from ${ann.toUpperCase()}`, to: { uid: bob } },
    })
    expect(emails(ann)).toEqual([])
  })

  test('speaks of all messages that came while it waited', async () => {
    const [ann, bob] = await pair()
    for (const text of ['one', 'two', 'three']) await say(ann, bob, text)
    await announces(bob, 3)
    await pass(minute)
    await expect
      .poll(() => texts(bob), patiently)
      .toEqual([`3 new messages from ${ann.toUpperCase()}`])
    await pass(twoHours)
    await comes(bob, ['one', 'two', 'three'])
    expect(emails(bob)[0]?.subject).toBe(`3 new messages from ${ann.toUpperCase()}`)
  })

  test('does not come if everything was read in time', async () => {
    const [ann, bob] = await pair()
    await say(ann, bob)
    await announces(bob, 1)
    await read(ann, bob)
    await pass(twoHours)
    await isWithheld(bob, 'ALREADY_READ')
    expect(emails(bob)).toEqual([])
  })

  test('speaks only of what is unread, or of everything if the app wants it', async () => {
    const [ann, bob] = await pair()
    const first = await say(ann, bob, 'one')
    await say(ann, bob, 'two')
    await announces(bob, 2)
    await read(ann, bob, first)
    await pass(twoHours)
    await comes(bob, ['two'])
    await change({ email: { notifyForUnreadOnly: false } })
    await say(ann, bob, 'three')
    await announces(bob, 2, 1)
    await read(ann, bob)
    await pass(twoHours)
    await comes(bob, ['two'], ['three'])
  })

  test('does not speak of what was deleted', async () => {
    const [ann, bob] = await pair()
    const id = await say(ann, bob)
    await announces(bob, 1)
    await full.deleteMessage({ onBehalfOf: ann, params: { id }, body: {} })
    await pass(twoHours)
    await isWithheld(bob, 'MESSAGE_DELETED')
  })

  test('takes in nothing more once it is under way', async () => {
    const [ann, bob] = await pair()
    await say(ann, bob, 'one')
    await announces(bob, 1)
    await pass(twoHours)
    await comes(bob, ['one'])
    await say(ann, bob, 'two')
    await announces(bob, 1, 1)
    await pass(twoHours)
    await comes(bob, ['one'], ['two'])
  })
})

describe('whoever does not want it gets none', () => {
  const dnd = { mutePreferences: { dnd: 2 } } as const
  const messages = { oneOnOnePreferences: { oneOnOneMessages: 1 } } as const
  const mentions = { oneOnOnePreferences: { oneOnOneMessages: 3 } } as const
  const set = (uid: string, body: typeof dnd | typeof messages | typeof mentions) =>
    full.updateNotificationPreferences({ query: { uid }, body })

  test.each([
    ['DND_PREFERENCE', (bob: string) => set(bob, dnd)],
    ['MESSAGES_PREFERENCE', (bob: string) => set(bob, messages)],
    [
      'MUTE_PREFERENCE',
      (bob: string, ann: string) =>
        full.muteConversations({
          query: { uid: bob },
          body: { conversations: [{ id: ann, type: 'oneOnOne' }] },
        }),
    ],
    [
      'BLOCKED',
      (bob: string, ann: string) =>
        full.blockUsers({ params: { uid: bob }, body: { blockedUids: [ann] } }),
    ],
  ] as const)('%s', async (reason, choose) => {
    const [ann, bob] = await pair()
    await say(ann, bob)
    await announces(bob, 1)
    await choose(bob, ann)
    await pass(twoHours)
    await isWithheld(bob, reason)
    expect(emails(bob)).toEqual([])
  })

  test('with mentions only, these alone are in the digest', async () => {
    const [ann, bob] = await pair()
    await set(bob, mentions)
    await say(ann, bob, 'one')
    await say(ann, bob, `two <@uid:${bob}>`)
    await announces(bob, 2)
    await pass(twoHours)
    await comes(bob, [`two @${bob.toUpperCase()}`])
  })

  test('more than so many a day and conversation are withheld', async () => {
    const [ann, bob] = await pair()
    await change({ email: { maxPerDayPerConversation: 1 } })
    await say(ann, bob, 'one')
    await announces(bob, 1)
    await pass(twoHours)
    await comes(bob, ['one'])
    await say(ann, bob, 'two')
    await announces(bob, 1, 1)
    await pass(twoHours)
    await isWithheld(bob, undefined, 'QUOTA_PREFERENCE')
    await pass(24 * 3600)
    await say(ann, bob, 'three')
    await announces(bob, 1, 1, 1)
    await pass(twoHours)
    await comes(bob, ['one'], ['three'])
  })

  test('more than so many a day are withheld', async () => {
    const [ann, bob] = await pair()
    const [eve] = await pair()
    await change({ email: { maxPerDay: 1 } })
    await say(ann, bob)
    await announces(bob, 1)
    await pass(twoHours)
    await comes(bob, ['hello'])
    await say(eve, bob)
    await announces(bob, 1, 1)
    await pass(twoHours)
    await isWithheld(bob, undefined, 'QUOTA_PREFERENCE')
  })

  test('who has left no address is in the log', async () => {
    await app.given.users('nowhere')
    const [ann] = await pair()
    await say(ann, 'nowhere')
    await announces('nowhere', 1)
    await pass(twoHours)
    await isWithheld('nowhere', 'MISSING_EMAIL')
    await expect.poll(() => reasons('nowhere', 'sms'), patiently).toEqual(['MISSING_PHNO'])
  })

  test('a group of more than 30 gets no digests, one of 30 does', async () => {
    const members = Array.from({ length: 30 }, (_, nth) => `m${nth}`)
    await app.given.users('owner', ...members)
    await fixture.reachable('m0')
    for (const [guid, most] of [['large', 30] as const, ['small', 29] as const]) {
      await app.given.group(guid, { owner: 'owner' })
      for (const uid of members.slice(0, most)) {
        await full.addMembers({ onBehalfOf: uid, params: { guid }, body: {} })
      }
      await fixture.again((await sayIn(guid, 'owner')).id)
    }
    await announces('m0', 1)
    await pass(twoHours)
    await comes('m0', ['hello'])
    expect(emails('m0')[0]?.subject).toBe('1 new messages in SMALL')
  })
})

describe('once', () => {
  test('an event that comes twice is in one digest', async () => {
    const [ann, bob] = await pair()
    const id = await say(ann, bob)
    await announces(bob, 1)
    await fixture.again(id)
    await pass(twoHours)
    await comes(bob, ['hello'])
    await fixture.again(id)
    expect(await announced(bob)).toHaveLength(2)
  })

  test('many at the same time are in one digest', async () => {
    const [ann, bob] = await pair()
    const ids = await Promise.all(Array.from({ length: 10 }, () => say(ann, bob)))
    await Promise.all(ids.map(fixture.again))
    await announces(bob, 10)
    await pass(twoHours)
    await comes(bob, Array(10).fill('hello'))
  })

  test('a worker that dies with a digest in hand leaves it to the next', async () => {
    const [ann, bob] = await pair()
    await change({ sms: { intervalInSeconds: 86_400 } })
    await say(ann, bob)
    await announces(bob, 1)
    // Somebody has claimed it, and is never heard of again.
    const { numAffectedRows } = await sql`
      update notification_deliveries set attempt = 1, leased_until = 1, started_at_ms = 1
      where uid = ${bob} and channel = 'email'`.execute(app.db)
    expect(numAffectedRows).toBe(1n)
    await pass(minute)
    await say(ann, bob, 'later')
    await announces(bob, 1, 1)
    await pass(twoHours - minute)
    await comes(bob, ['hello'])
    await pass(minute)
    await comes(bob, ['hello'], ['later'])
  })

  test('a carrier that is out of order is tried again', async () => {
    const [ann, bob] = await pair()
    server.fail('/v3/mail/send', { status: 503 })
    await say(ann, bob)
    await announces(bob, 1)
    await pass(twoHours)
    await expect.poll(() => reasons(bob), patiently).toEqual(['status 503'])
    expect(emails(bob)).toEqual([])
    await pass(2)
    await comes(bob, ['hello'])
  })

  test('one that refuses is not', async () => {
    const [ann, bob] = await pair()
    server.fail('/2010-04-01/', { status: 400, body: { code: 21211, message: 'Invalid To' } })
    await say(ann, bob)
    await announces(bob, 1)
    await pass(minute)
    await expect
      .poll(async () => (await logs(bob, 'sms'))[0], patiently)
      .toMatchObject({ success: false, reason: 'TWILIO_CREATE_ERROR', provider: 'twilio' })
    expect(texts(bob)).toEqual([])
  })
})
