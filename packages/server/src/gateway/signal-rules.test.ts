import { afterAll, expect, test } from 'vitest'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, say } = fixture
const become = (uid: string, role: string) => full.updateUser({ params: { uid }, body: { role } })

/** What makes a rule forbid it, and what is answered. */
const rules: Readonly<
  Record<string, { forbid: (uid: string, guid: string) => Promise<unknown>; code: string }>
> = {
  role: {
    async forbid(uid) {
      await app.given.role('denied')
      const body = { permissions: { sendMessage: 'deny' } }
      await full.setRolePermissions({ params: { role: 'denied' }, body })
      await become(uid, 'denied')
    },
    code: 'ERR_PERMISSION_DENIED',
  },
  feature: {
    async forbid(uid) {
      await app.given.role('mute')
      const body = { featuresToRestrict: ['createMessage'] }
      await full.restrictFeatures({ params: { role: 'mute' }, body })
      await become(uid, 'mute')
    },
    code: 'ERR_PERMISSION_DENIED',
  },
  friends: {
    async forbid(uid) {
      await app.given.role('friendly')
      const body = { permissions: { 'sendMessage.mode': 'friends' } }
      await full.setRolePermissions({ params: { role: 'friendly' }, body })
      await become(uid, 'friendly')
    },
    code: 'ERR_PERMISSION_DENIED',
  },
  scope: {
    forbid: (_, guid) =>
      full.setScopePermissions({
        params: { guid, scope: 'participant' },
        body: { permissions: { sendMessage: 'deny' } },
      }),
    code: 'ERR_PERMISSION_DENIED',
  },
  moderation: {
    forbid: () =>
      full.createRule({
        body: { id: 'spam', conditions: [{ value: 'spam' }], action: ['blockMessage'] },
      }),
    code: 'ERR_BLOCKED_BY_RULE',
  },
}

test.each(Object.keys(rules))('H5: frames with words are stopped by %s', async (rule) => {
  const { forbid, code } = rules[rule] ?? { forbid: async () => undefined, code: '' }
  const [from, to, guid] = [`from-${rule}`, `to-${rule}`, `group-${rule}`]
  await app.given.users(from, to)
  await app.given.group(guid, { owner: to, members: { participants: [from] } })
  await say(from, to, 'hi')
  const [one, other] = [await device(from), await device(to)]
  const place =
    rule === 'scope'
      ? ({ receiver: guid, receiverType: 'group' } as const)
      : ({ receiver: to, receiverType: 'user' } as const)
  one.send({ type: 'transient', ...place, data: { text: 'spam' } })
  expect(await other.next('transient')).toMatchObject({ sender: from, data: { text: 'spam' } })
  await forbid(from, guid)
  one.send({ type: 'transient', ...place, data: { text: 'spam' } })
  expect((await one.next('refusal')).error.code).toBe(code)
  one.send({ type: 'typing', ...place, state: 'started', metadata: { text: 'spam' } })
  expect((await one.next('refusal')).error.code).toBe(code)
  // Typing alone says nothing, and comes behind the others.
  one.send({ type: 'typing', ...place, state: 'ended' })
  expect(await other.next('typing')).toMatchObject({ state: 'ended' })
  expect(other.of('transient')).toHaveLength(1)
})
