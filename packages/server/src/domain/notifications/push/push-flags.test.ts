import { type PushSettings, pushFlagDefaults } from '@chorale/contract/notifications'
import { afterAll, describe, expect, test } from 'vitest'
import { startPushFixture } from '../../../../../testing/src/notifications/push-fixture.ts'
import { notifyUsers } from '../notify.on.ts'

const fixture = await startPushFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, account, android, shown } = fixture
app.startWorker([notifyUsers])
await app.given.users('ann', 'bob')
await app.given.group('tea', { owner: 'ann', members: { participants: ['bob'] } })
const phone = await android('bob')

type Flag = keyof typeof pushFlagDefaults
const byAnn = { onBehalfOf: 'ann' } as const
const params = { guid: 'tea' } as const
const inTea = { receiver: 'tea', receiverType: 'group' } as const
const words = (text: string) => ({ category: 'message', type: 'text', data: { text } }) as const

async function say(onBehalfOf: string, text = 'hello'): Promise<string> {
  const { data } = await full.sendMessage({ onBehalfOf, body: { ...inTea, ...words(text) } })
  return 'id' in data ? data.id : ''
}

const call = (action: string) =>
  full.sendMessage({
    ...byAnn,
    body: { ...inTea, category: 'call', type: 'audio', data: { action } },
  })
const add = (uid: string, by: string) =>
  full.addMembers({ onBehalfOf: by, params, body: { participants: [uid] } })
const join = (uid: string) => full.addMembers({ onBehalfOf: uid, params, body: {} })
const ban = (uid: string) => full.banUser({ ...byAnn, params: { ...params, uid } })

interface Kind {
  readonly body: string
  /** Returns a message, if it is about one. */
  readonly before?: (uid: string) => Promise<unknown>
  readonly happens: (uid: string, id: string) => Promise<unknown>
}

/** What happens to the message, or to a user of this name, and what a phone shows of it. */
const kinds: Readonly<Record<Flag, Kind>> = {
  sendNewMessageNotification: { body: 'hello', happens: () => say('ann') },
  sendThreadedMessageNotification: {
    body: 'an answer',
    before: () => say('bob'),
    happens: (_, id) => full.replyToMessage({ ...byAnn, params: { id }, body: words('an answer') }),
  },
  sendEditMessageNotification: {
    body: 'changed',
    before: () => say('ann'),
    happens: (_, id) =>
      full.editMessage({ ...byAnn, params: { id }, body: { data: { text: 'changed' } } }),
  },
  sendDeleteMessageNotification: {
    body: 'This message was deleted',
    before: () => say('ann'),
    happens: (_, id) => full.deleteMessage({ ...byAnn, params: { id }, body: {} }),
  },
  sendIncomingCallNotification: { body: 'AUDIO CALL initiated', happens: () => call('initiated') },
  sendMissedCallNotification: { body: 'AUDIO CALL unanswered', happens: () => call('unanswered') },
  sendMemberJoinedNotification: { body: 'NAME joined', happens: join },
  sendMemberAddedNotification: { body: 'ANN added NAME', happens: (uid) => add(uid, 'ann') },
  sendMemberLeftNotification: {
    body: 'NAME left',
    before: (uid) => add(uid, 'ann'),
    happens: (uid) => full.leaveGroup({ onBehalfOf: uid, params }),
  },
  sendMemberKickedNotification: {
    body: 'ANN removed NAME',
    before: (uid) => add(uid, 'ann'),
    happens: (uid) => full.kickMember({ ...byAnn, params: { ...params, uid } }),
  },
  sendMemberBannedNotification: {
    body: 'ANN banned NAME',
    before: (uid) => add(uid, 'ann'),
    happens: ban,
  },
  sendMemberUnbannedNotification: {
    body: 'ANN unbanned NAME',
    before: async (uid) => {
      await add(uid, 'ann')
      await ban(uid)
    },
    happens: (uid) => full.unbanUser({ ...byAnn, params: { ...params, uid } }),
  },
  sendMemberScopeChangedNotification: {
    body: 'ANN made NAME moderator',
    before: (uid) => add(uid, 'ann'),
    happens: (uid) =>
      full.changeMemberScope({
        ...byAnn,
        params: { ...params, uid },
        body: { scope: 'moderator' },
      }),
  },
}

const none: PushSettings = Object.fromEntries(
  Object.keys(pushFlagDefaults).map((flag) => [flag, false]),
)

async function save(flags: PushSettings): Promise<void> {
  const fcmCredentials = {
    project_id: account.projectId,
    client_email: account.clientEmail,
    private_key: account.privateKey,
    private_key_id: account.privateKeyId,
  }
  const settings = { version: 2, pushProvider: 1, fcmCredentials, ...flags }
  await full.updatePushSettings({ params: { appId: app.appId }, body: { settings } })
}

const bodies = () =>
  shown(phone).map(({ body, callAction }) => (callAction ? `${body} ${callAction}` : body))
let nth = 0

/** No flag speaks of reactions: this one comes behind whatever happened before it. */
async function something(): Promise<void> {
  const reaction = `r${++nth}`
  const id = await say('bob')
  await full.addReaction({ ...byAnn, params: { id, reaction } })
  await expect.poll(bodies, { timeout: 20_000 }).toContain(`Reacted ${reaction}`)
}

// First: a flag that was saved once stays as it is.
test('section 6: flags that nobody has set are as the documents say', async () => {
  await save({})
  const id = await say('ann', 'a message')
  await expect.poll(bodies, { timeout: 20_000 }).toContain('a message')
  await full.editMessage({ ...byAnn, params: { id }, body: { data: { text: 'edited' } } })
  await something()
  expect(bodies()).not.toContain('edited')
})

describe('section 6: each flag of the push settings, seen at the provider', () => {
  // In the table above.
  test.each(Object.keys(kinds) as Flag[])('%s', async (flag) => {
    const { body, before, happens } = kinds[flag]
    const happensTo = async (uid: string) => {
      await app.given.users(uid)
      const id = await before?.(uid)
      await happens(uid, String(id))
      return body.replace('NAME', uid.toUpperCase())
    }
    await save({ ...none, [flag]: false })
    const unwanted = await happensTo(`off${++nth}`)
    await something()
    const seen = bodies().filter((one) => one === unwanted).length
    expect(seen).toBe(0)
    await save({ ...none, [flag]: true })
    const wanted = await happensTo(`on${++nth}`)
    await expect.poll(bodies, { timeout: 20_000 }).toContain(wanted)
  })
})

test('section 6: the edit of a reply is an edit, whatever the flag of threads says', async () => {
  await save({ ...none, sendThreadedMessageNotification: true })
  const params = { id: await say('bob') }
  const body = words('a reply')
  const { data } = await full.replyToMessage({ ...byAnn, params, body })
  await expect.poll(bodies, { timeout: 50_000 }).toContain('a reply')
  await full.editMessage({
    ...byAnn,
    params: { id: data.id },
    body: { data: { text: 'an edited reply' } },
  })
  await something()
  expect(bodies()).not.toContain('an edited reply')
})
