import { expect, test } from 'vitest'
import { connect, type SessionStorage } from '../index.ts'
import { bob, conversationId, messageFrame, messageOf } from '../testing/fixture.ts'
import { startScriptedServer } from '../testing/scripted-server.ts'

/** As an app on a device without IndexedDB would write one. */
function storageIn(kept: Map<string, unknown>): SessionStorage {
  return {
    entries: async () => [...kept],
    async set(key, value) {
      kept.set(key, structuredClone(value))
    },
    async delete(key) {
      kept.delete(key)
    },
  }
}
const text = (said: string) => ({ ...bob, data: { text: said } })

test('a later session sends what an earlier one could not, first and in order', async () => {
  await using server = await startScriptedServer()
  const kept = new Map<string, unknown>()
  const options = { url: server.url, authToken: 't', storage: storageIn(kept) }
  const earlier = connect(options)
  const peer = await server.accept()
  await peer.welcome({ [conversationId]: { seq: 4, change: 2 } })
  peer.say(messageFrame(5))
  const ids = ['one', 'two'].map((said) => earlier.send(text(said)).clientId)
  await expect.poll(() => earlier.positions[conversationId]?.seq).toBe(5)
  earlier.close()

  const later = connect(options)
  later.send(text('three'))
  const next = await server.accept()
  const auth = await next.welcome()
  expect(auth.positions).toEqual({ [conversationId]: { seq: 5, change: 2 } })
  const sent: unknown[] = []
  for (let n = 0; n < 3; n++) {
    const call = await next.next('call')
    // The scripted server does not check; this is what the session sends.
    const body = call.input?.body as { muid: string; data: { text: string } }
    sent.push([body.data.text, ids[n] === body.muid])
    const data = messageOf(6 + n, { sender: 'ann', muid: body.muid })
    next.say({ type: 'answer', id: call.id, body: { data } })
  }
  expect(sent).toEqual([
    ['one', true],
    ['two', true],
    ['three', false],
  ])
  await expect.poll(() => [...kept.keys()].sort()).toEqual(['positions', 'user'])
  later.close()
})

test('what another user has left is not sent', async () => {
  await using server = await startScriptedServer()
  const unsent = { at: 1, draft: { ...text('secret'), clientId: 'm1' } }
  const kept = new Map<string, unknown>([
    ['user', 'zoe'],
    ['unsent/m1', unsent],
  ])
  const session = connect({ url: server.url, authToken: 't', storage: storageIn(kept) })
  const failed: unknown[] = []
  session.on('outgoing', ({ clientId, error }) => error && failed.push([clientId, error]))
  const peer = await server.accept()
  await peer.welcome()
  await expect.poll(() => failed).toMatchObject([['m1', { code: 'otherUser' }]])
  const asked = session.call('getMe')
  expect((await peer.next('call')).operation).toBe('getMe')
  session.close()
  await expect(asked).rejects.toMatchObject({ code: 'connectionLost' })
  expect([...kept.keys()].sort()).toEqual(['positions', 'user'])
})

test('a storage that fails is reported, and the session works', async () => {
  await using server = await startScriptedServer()
  const broken = () => Promise.reject(new Error('disk full'))
  const errors: unknown[] = []
  const storage = { entries: broken, set: broken, delete: broken }
  const onError = (error: unknown) => errors.push(error)
  const session = connect({ url: server.url, authToken: 't', storage, onError })
  await (await server.accept()).welcome()
  expect(await session.user).toMatchObject({ uid: 'ann' })
  expect(errors).toContainEqual(new Error('disk full'))
  session.close()
})
