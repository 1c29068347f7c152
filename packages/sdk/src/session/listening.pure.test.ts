import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  changedFrame,
  conversationId,
  messageFrame,
  messageOf,
  openFixture,
} from '../testing/fixture.ts'

const page = (...seqs: number[]) => ({
  data: seqs.map((seq) => messageOf(seq)),
  meta: { current: { limit: 100, count: seqs.length } },
})
const numbers = (...seqs: number[]) => seqs.map((seq) => `number ${seq}`)

test('a session says who it is and where it stopped, and learns who it is', async () => {
  const positions = { [conversationId]: { seq: 7, change: 2, id: '1007' } }
  const presence = { of: 'friends' } as const
  await using fixture = await openFixture({ appId: 'app1', presence, positions })
  const peer = await fixture.server.accept()
  const auth = await peer.welcome()
  expect(peer.path).toBe('/v3/realtime?appId=app1')
  const sent = { [conversationId]: { seq: 7, change: 2 } }
  expect(auth).toEqual({ type: 'auth', authToken: 'token', positions: sent, presence })
  expect((await fixture.session.user).uid).toBe('ann')
})

test('entries come once and in order, however they arrive', async () => {
  await using fixture = await openFixture({ patienceMs: 60_000 })
  const peer = await fixture.server.accept()
  await peer.welcome({ [conversationId]: { seq: 0, change: 0 } })
  peer.say(...[1, 1, 3, 2, 3, 1, 5, 4, 6].map((seq) => messageFrame(seq)))
  await expect.poll(() => fixture.texts()).toEqual(numbers(1, 2, 3, 4, 5, 6))
  expect(fixture.session.positions).toEqual({ [conversationId]: { seq: 6, change: 0, id: '1006' } })
  // Nothing is missing, so nothing but this is asked for.
  for (let time = 0; time < 3; time++) {
    const me = fixture.session.call('getMe')
    const { id, operation } = await peer.next('call')
    expect(operation).toBe('getMe')
    peer.say({ type: 'answer', id, body: {} })
    await me
  }
})

test('a conversation that begins is followed from its first entry on', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome()
  peer.say(messageFrame(41), messageFrame(42))
  await expect.poll(() => fixture.texts()).toEqual(numbers(41, 42))
})

test('what is missing is fetched, page by page, and what was too early follows', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome({ [conversationId]: { seq: 0, change: 0 } })
  peer.say(messageFrame(1), messageFrame(5), messageFrame(7))
  const next = { affix: 'append', id: '1003' }
  const first = page(2, 3)
  const call = await peer.answer('listUserMessages', { ...first, meta: { ...first.meta, next } })
  expect(call.input).toEqual({
    params: { uid: 'bob' },
    query: { affix: 'append', limit: 100, id: '1001' },
  })
  const again = await peer.answer('listUserMessages', page(4, 5, 6))
  expect(again.input?.query).toMatchObject({ id: '1003' })
  // Six is still missing: five was held, and so is seven.
  const last = await peer.answer('listUserMessages', page(6, 7))
  expect(last.input?.query).toMatchObject({ id: '1005' })
  await expect.poll(() => fixture.texts()).toEqual(numbers(1, 2, 3, 4, 5, 6, 7))
})

test('in a group the list of the group fills the gap; erased entries leave none', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome({ [conversationId]: { seq: 0, change: 0 } })
  const inGroup = { receiver: 'den', receiverType: 'group' } as const
  peer.say(messageFrame(1, inGroup), messageFrame(4, inGroup))
  const { input } = await peer.answer('listGroupMessages', page(3, 4))
  expect(input?.params).toEqual({ guid: 'den' })
  await expect.poll(() => fixture.texts()).toEqual(numbers(1, 3, 4))
  expect(fixture.session.positions[conversationId]).toMatchObject({ seq: 4, id: '1004' })
})

test('what arrives late after all is not shown twice', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome({ [conversationId]: { seq: 0, change: 0 } })
  peer.say(messageFrame(1), messageFrame(5))
  const call = await peer.next('call')
  peer.say(messageFrame(2), messageFrame(4))
  peer.say({ type: 'answer', id: call.id, body: page(2, 3, 4, 5) }, messageFrame(3))
  await expect.poll(() => fixture.texts()).toEqual(numbers(1, 2, 3, 4, 5))
  peer.say(messageFrame(6))
  await expect.poll(() => fixture.texts().at(-1)).toBe('number 6')
  expect(fixture.texts()).toHaveLength(6)
})

test('a gap that cannot be filled is a reason to read anew, and the session goes on', async () => {
  // All that is said at once arrives within it.
  await using fixture = await openFixture({ patienceMs: 300 })
  const peer = await fixture.server.accept()
  await peer.welcome({ [conversationId]: { seq: 10, change: 0 } })
  // Nobody knows the id of the tenth.
  peer.say(messageFrame(12), messageFrame(13))
  await expect.poll(() => fixture.heard('reload')).toEqual([{ conversationId }])
  peer.say(messageFrame(14), messageFrame(16))
  const call = await peer.next('call')
  const error = { code: 'ERR_GROUP_NOT_JOINED', message: '', devMessage: '' }
  peer.say({ type: 'refusal', id: call.id, error })
  await expect.poll(() => fixture.heard('reload')).toHaveLength(2)
  peer.say(messageFrame(17))
  await expect.poll(() => fixture.texts()).toEqual(numbers(14, 17))
})

test('a changed entry is shown once, never before the entry itself', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome({ [conversationId]: { seq: 3, change: 5 } })
  const events: (string | undefined)[] = []
  fixture.session.on('message', ({ message }) => events.push(message.data.text))
  fixture.session.on('changed', ({ message }) => events.push(message.data.text))
  peer.say(
    changedFrame(2, 5, 'seen before'),
    changedFrame(2, 7, 'two'),
    changedFrame(3, 6, 'three, overtaken'),
    changedFrame(2, 7, 'two'),
    changedFrame(2, 6, 'two, older'),
    changedFrame(4, 8, 'four, edited'),
    messageFrame(4),
  )
  const shown = ['two', 'three, overtaken', 'number 4', 'four, edited']
  await expect.poll(() => events).toEqual(shown)
  expect(fixture.session.positions[conversationId]).toEqual({ seq: 4, change: 8, id: '1004' })
})

test('the service may say that too much was missed, or that a conversation is over', async () => {
  await using fixture = await openFixture({
    positions: { [conversationId]: { seq: 2, change: 0 } },
  })
  const peer = await fixture.server.accept()
  await peer.welcome()
  peer.say({ type: 'reload', conversationId, position: { seq: 900, change: 4 } }, messageFrame(901))
  await expect.poll(() => fixture.texts()).toEqual(numbers(901))
  expect(fixture.heard('reload')).toEqual([{ conversationId }])
  peer.say({ type: 'left', conversationId })
  await expect.poll(() => fixture.heard('left')).toEqual([{ conversationId }])
  expect(fixture.session.positions).toEqual({})
})

test('positions are handed out to be kept, after what they stand for was shown', async () => {
  const kept: unknown[] = []
  await using fixture = await openFixture({
    onPositions: (positions) => kept.push([positions, fixture.texts().length]),
  })
  const peer = await fixture.server.accept()
  await peer.welcome()
  peer.say(messageFrame(1))
  await expect
    .poll(() => kept.at(-1))
    .toEqual([{ [conversationId]: { seq: 1, change: 0, id: '1001' } }, 1])
})

test('receipts, presence, typing, checks of files and transient messages are passed on', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome()
  const receipt = { conversationId, kind: 'read', uid: 'bob', messageId: '1001', at: 5 } as const
  const presence = { uid: 'bob', status: 'offline', lastActiveAt: 9 } as const
  const to = { sender: 'bob', receiver: 'ann', receiverType: 'user' } as const
  const typing = { ...to, state: 'started' } as const
  const transient = { ...to, data: { wave: 1 } }
  const upload = { uploadId: 'one', state: 'checking', step: 'scan' } as const
  peer.say(
    { type: 'upload', ...upload },
    { type: 'receipt', ...receipt },
    { type: 'presence', ...presence },
    { type: 'typing', ...typing },
    { type: 'transient', ...transient },
  )
  await expect.poll(() => fixture.heard('customEvent')).toMatchObject([transient])
  expect(fixture.heard('receipt')).toMatchObject([receipt])
  expect(fixture.heard('presence')).toMatchObject([presence])
  expect(fixture.heard('typing')).toMatchObject([typing])
  expect(fixture.heard('upload')).toMatchObject([upload])
})

test('a listener that fails does not keep the others from hearing', async () => {
  await using fixture = await openFixture()
  const thrown = new Promise((resolve) => {
    const [runner] = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.once('uncaughtException', (error) => {
      if (runner) process.on('uncaughtException', runner)
      resolve(error)
    })
  })
  fixture.session.on('message', () => {
    throw new Error('a bug of the page')
  })
  const late: string[] = []
  fixture.session.on('message', ({ message }) => late.push(message.id))
  const peer = await fixture.server.accept()
  await peer.welcome()
  peer.say(messageFrame(1))
  expect(await thrown).toMatchObject({ message: 'a bug of the page' })
  await expect.poll(() => late).toEqual(['1001'])
})

/** What the network does with the entries of one connection before it breaks. */
const connections = fc.array(
  fc.array(
    fc.record({ ahead: fc.integer({ min: 0, max: 4 }), times: fc.integer({ min: 0, max: 2 }) }),
    {
      maxLength: 8,
    },
  ),
  { minLength: 1, maxLength: 4 },
)

test('no drop, repeat, reordering or loss leaves a hole or a double', async () => {
  await fc.assert(
    fc.asyncProperty(connections, async (plan) => {
      const positions = { [conversationId]: { seq: 0, change: 0, id: '1000' } }
      await using fixture = await openFixture({ positions })
      const last = 12
      for (const frames of plan) {
        const peer = await fixture.server.accept()
        const auth = await peer.welcome()
        const from = auth.positions?.[conversationId]?.seq ?? 0
        for (const [nth, { ahead, times }] of frames.entries()) {
          const seq = Math.min(last, from + 1 + nth + ahead)
          for (let time = 0; time < times; time++) peer.say(messageFrame(seq))
        }
        peer.drop()
      }
      const peer = await fixture.server.accept()
      const auth = await peer.welcome()
      const from = auth.positions?.[conversationId]?.seq ?? 0
      expect(fixture.texts()).toEqual(numbers(...Array.from({ length: from }, (_, nth) => nth + 1)))
      for (let seq = from + 1; seq <= last; seq++) peer.say(messageFrame(seq))
      const all = numbers(...Array.from({ length: last }, (_, nth) => nth + 1))
      await expect.poll(() => fixture.texts()).toEqual(all)
    }),
    { numRuns: 40 },
  )
})
