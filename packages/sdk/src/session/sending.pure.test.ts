import { expect, test } from 'vitest'
import { bob, conversationId, messageFrame, messageOf, openFixture } from '../testing/fixture.ts'
import type { Peer } from '../testing/scripted-server.ts'

const hello = { ...bob, data: { text: 'hello' } }
const stored = (muid: string) => ({
  data: messageOf(1, { sender: 'ann', receiver: 'bob', muid, data: { text: 'hello' } }),
})
const error = (code: string) => ({ code, message: code, devMessage: '' })

/** The next send that arrives: its call id, and what it says. */
async function nextSend(peer: Peer) {
  const { id, operation, input } = await peer.next('call')
  expect(operation).toBe('sendMessage')
  // The scripted server does not check; this is what the session sends.
  const body = input?.body as { muid: string; receiver: string; data: { text: string } }
  return { id, body, muid: body.muid, text: body.data.text }
}

test('a message is shown at once, sent, and then known as it is stored', async () => {
  await using fixture = await openFixture()
  const { clientId, stored: promise } = fixture.session.send(hello)
  expect(fixture.heard('outgoing')).toEqual([{ clientId, draft: hello, state: 'sending' }])
  const peer = await fixture.server.accept()
  await peer.welcome()
  const sent = await nextSend(peer)
  expect(sent.body).toEqual({ ...hello, muid: clientId })
  peer.say({ type: 'answer', id: sent.id, body: stored(clientId) })
  expect(await promise).toEqual(stored(clientId).data)
  expect(fixture.heard('outgoing').at(-1)).toMatchObject({ clientId, state: 'sent' })
})

test('wherever the connection breaks, the message goes out again under the same client id', async () => {
  const breaks: ((peer: Peer) => Promise<void>)[] = [
    async (peer) => peer.drop(),
    async (peer) => {
      await peer.next('auth')
      peer.drop()
    },
    async (peer) => {
      await peer.welcome()
      peer.drop()
    },
    async (peer) => {
      await peer.welcome()
      await nextSend(peer)
      peer.drop()
    },
    async (peer) => {
      await peer.welcome()
      const { id } = await nextSend(peer)
      peer.say({ type: 'goodbye', reason: 'going away' }, { type: 'refusal', error: error(id) })
      peer.close(4000)
    },
  ]
  await using fixture = await openFixture()
  const { clientId, stored: promise } = fixture.session.send(hello)
  for (const breakUp of breaks) await breakUp(await fixture.server.accept())
  const peer = await fixture.server.accept()
  await peer.welcome()
  const sent = await nextSend(peer)
  expect(sent.muid).toBe(clientId)
  peer.say({ type: 'answer', id: sent.id, body: stored(clientId) })
  expect((await promise).muid).toBe(clientId)
  expect(fixture.heard('outgoing').map(({ state }) => state)).toEqual(['sending', 'sent'])
})

test('an answer that does not come in time is asked for again, on the same connection', async () => {
  await using fixture = await openFixture({ timeoutMs: 1500 })
  const { clientId, stored: promise } = fixture.session.send(hello)
  const peer = await fixture.server.accept()
  await peer.welcome()
  const first = await nextSend(peer)
  const second = await nextSend(peer)
  expect(second.muid).toBe(clientId)
  expect(second.id).not.toBe(first.id)
  // The slow answer comes after all, to a question that nobody asks any more.
  peer.say({ type: 'answer', id: first.id, body: stored('late') })
  peer.say({ type: 'answer', id: second.id, body: stored(clientId) })
  expect((await promise).muid).toBe(clientId)
})

test('its own entry in the conversation is as good as an answer', async () => {
  await using fixture = await openFixture()
  const { clientId, stored: promise } = fixture.session.send(hello)
  const peer = await fixture.server.accept()
  await peer.welcome()
  await nextSend(peer)
  peer.say(messageFrame(1, { sender: 'ann', receiver: 'bob', muid: clientId }))
  expect((await promise).id).toBe('1001')
  expect(fixture.heard('message')).toHaveLength(1)
  peer.drop()
  const next = await fixture.server.accept()
  expect((await next.welcome()).positions).toEqual({ [conversationId]: { seq: 1, change: 0 } })
  fixture.session.send({ ...hello, data: { text: 'another' } })
  expect((await nextSend(next)).text).toBe('another')
})

test('to one receiver messages go one after the other, to several side by side', async () => {
  await using fixture = await openFixture()
  const say = (receiver: string, text: string) =>
    fixture.session.send({ receiver, receiverType: 'user', data: { text } })
  say('bob', 'one')
  say('bob', 'two')
  say('eve', 'three')
  const peer = await fixture.server.accept()
  await peer.welcome()
  const first = await nextSend(peer)
  const other = await nextSend(peer)
  expect([first.text, other.text]).toEqual(['one', 'three'])
  peer.say({ type: 'answer', id: first.id, body: stored(first.muid) })
  expect((await nextSend(peer)).text).toBe('two')
})

test('a reply goes into its thread', async () => {
  await using fixture = await openFixture()
  const { clientId, stored: promise } = fixture.session.send({ ...hello, parentId: '1000' })
  const peer = await fixture.server.accept()
  await peer.welcome()
  const { input } = await peer.answer('replyToMessage', stored(clientId))
  expect(input).toEqual({ params: { id: '1000' }, body: { ...hello, muid: clientId } })
  expect((await promise).muid).toBe(clientId)
})

test('what is refused for good fails, and the next one goes out', async () => {
  await using fixture = await openFixture()
  const { clientId, stored: refused } = fixture.session.send(hello)
  fixture.session.send({ ...hello, data: { text: 'next' } })
  const peer = await fixture.server.accept()
  await peer.welcome()
  const { id } = await nextSend(peer)
  peer.say({ type: 'refusal', id, error: error('ERR_BLOCKED_SENDER') })
  await expect(refused).rejects.toMatchObject({ name: 'ChoraleError', code: 'ERR_BLOCKED_SENDER' })
  expect(fixture.heard('outgoing').at(-1)).toMatchObject({ clientId, state: 'failed' })
  expect((await nextSend(peer)).text).toBe('next')
})

test.each(['ERR_REQUEST_TIMEOUT', 'ERR_TOO_MANY_REQUESTS', 'ERR_MISSION_FAILED'])(
  '%s is tried again',
  async (code) => {
    await using fixture = await openFixture()
    const { clientId, stored: promise } = fixture.session.send(hello)
    const peer = await fixture.server.accept()
    await peer.welcome()
    for (let time = 0; time < 3; time++) {
      const { id } = await nextSend(peer)
      peer.say({ type: 'refusal', id, error: error(code) })
    }
    const last = await nextSend(peer)
    peer.say({ type: 'answer', id: last.id, body: stored(clientId) })
    expect((await promise).muid).toBe(clientId)
  },
)

test('the queue has an end; the same client id is the same message', async () => {
  await using fixture = await openFixture({ maxQueued: 2 })
  const one = fixture.session.send({ ...hello, clientId: 'm1' })
  expect(fixture.session.send({ ...hello, clientId: 'm1' }).stored).toBe(one.stored)
  fixture.session.send(hello)
  expect(() => fixture.session.send(hello)).toThrow(/Too many/)
})

test('a call has its answer or its refusal', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome()
  const asked = fixture.session.call('getUser', { params: { uid: 'bob' } })
  const { input } = await peer.answer('getUser', { data: { uid: 'bob' } })
  expect(input).toEqual({ params: { uid: 'bob' } })
  expect((await asked).data.uid).toBe('bob')
  const refused = fixture.session.call('getMe')
  const { id } = await peer.next('call')
  peer.say({ type: 'refusal', id, error: error('ERR_PERMISSION_DENIED') })
  await expect(refused).rejects.toMatchObject({ code: 'ERR_PERMISSION_DENIED', status: 0 })
})

test('a call waits for a connection, is not repeated by itself, and does not wait for ever', async () => {
  await using fixture = await openFixture({ timeoutMs: 1500 })
  const early = fixture.session.call('getMe')
  const peer = await fixture.server.accept()
  await peer.welcome()
  await peer.answer('getMe', { data: { uid: 'ann' } })
  expect((await early).data.uid).toBe('ann')
  const lost = fixture.session.call('leaveGroup', { params: { guid: 'den' } })
  await peer.next('call')
  peer.drop()
  await expect(lost).rejects.toMatchObject({ name: 'SessionError', code: 'connectionLost' })
  const next = await fixture.server.accept()
  await next.welcome()
  const late = fixture.session.call('getMe')
  await expect(late).rejects.toMatchObject({ code: 'timeout' })
  expect((await next.next('call')).operation).toBe('getMe')
})

test('history, counts and marks are calls', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome()
  const { session } = fixture
  const pages = session.history(bob, { pageSize: 2 })
  const newest = pages.next()
  const meta = { current: { limit: 2, count: 2 } }
  const previous = { affix: 'prepend', id: '1002' }
  await peer.answer('listUserMessages', {
    data: [messageOf(2), messageOf(3)],
    meta: { ...meta, previous },
  })
  expect((await newest).value).toMatchObject([{ id: '1002' }, { id: '1003' }])
  const older = pages.next()
  const { input } = await peer.answer('listUserMessages', { data: [messageOf(1)], meta })
  expect(input?.query).toEqual({ affix: 'prepend', limit: 2, id: '1002' })
  expect((await older).value).toMatchObject([{ id: '1001' }])
  expect((await pages.next()).done).toBe(true)

  const counts = session.unreadCounts()
  const data = [{ entityId: 'bob', entityType: 'user', count: 3 }]
  await peer.answer('listMessages', { data, meta })
  expect(await counts).toEqual(data)

  const group = { receiver: 'den', receiverType: 'group' } as const
  const read = session.markRead(group, '1003')
  const marked = await peer.answer('markGroupConversationRead', { data: {} })
  expect(marked.input).toEqual({ params: { guid: 'den' }, body: { messageId: '1003' } })
  await read
  const delivered = session.markDelivered(bob)
  const all = await peer.answer('markUserConversationDelivered', { data: {} })
  expect(all.input).toEqual({ params: { uid: 'bob' }, body: {} })
  await delivered
})

test('typing and transient messages reach who is there, and are not kept', async () => {
  await using fixture = await openFixture()
  const { session } = fixture
  expect(session.typing(bob, 'started')).toBe(false)
  const peer = await fixture.server.accept()
  await peer.welcome()
  await expect.poll(() => session.connection.state).toBe('online')
  expect(session.typing(bob, 'ended', { in: 'thread' })).toBe(true)
  const metadata = { in: 'thread' }
  expect(await peer.next('typing')).toEqual({ type: 'typing', ...bob, state: 'ended', metadata })
  expect(session.sendEvent(bob, { wave: 1 })).toBe(true)
  expect(await peer.next('transient')).toEqual({ type: 'transient', ...bob, data: { wave: 1 } })
})

test('a message that meets a token that has ended waits for the next token', async () => {
  const tokens = ['old', 'new']
  await using fixture = await openFixture({ authToken: () => tokens.shift() ?? 'none' })
  const { clientId: muid, stored: promise } = fixture.session.send(hello)
  const asked = fixture.session.call('getMe')
  const first = await fixture.server.accept()
  await first.welcome()
  const me = await first.next('call')
  const refused = await nextSend(first)
  for (const id of [refused.id, me.id]) {
    first.say({ type: 'refusal', id, error: error('AUTH_ERR_JWT_REFUSED') })
  }
  first.close(4401)
  const second = await fixture.server.accept()
  expect((await second.welcome()).authToken).toBe('new')
  const again = await second.next('call')
  expect(again.operation).toBe('getMe')
  second.say({ type: 'answer', id: again.id, body: { data: { uid: 'ann' } } })
  const sent = await nextSend(second)
  expect(sent.muid).toBe(muid)
  second.say({ type: 'answer', id: sent.id, body: stored(muid) })
  expect(await promise).toEqual(stored(muid).data)
  expect((await asked).data.uid).toBe('ann')
  expect(fixture.heard('outgoing').map(({ state }) => state)).toEqual(['sending', 'sent'])
  expect(tokens).toEqual([])
})

test('with a token that is given once, what meets its end is told so', async () => {
  await using fixture = await openFixture()
  const asked = fixture.session.call('getMe')
  const peer = await fixture.server.accept()
  await peer.welcome()
  const { id } = await peer.next('call')
  peer.say({ type: 'refusal', id, error: error('AUTH_ERR_AUTH_TOKEN_NOT_FOUND') })
  await expect(asked).rejects.toMatchObject({ code: 'AUTH_ERR_AUTH_TOKEN_NOT_FOUND' })
})
