import { type Chat, type ChatMessage, createChat, type Live } from '@chorale/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

// The chat client of the SDK against the service: what one user does, the other is shown.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture())
const { app, say, sayIn, tokenOf, full } = fixture

beforeAll(async () => {
  await app.given.users('ann', 'bob', 'cy', 'dan', 'eve', 'fay', 'gus', 'hal', 'jan', 'kim', 'lea')
})

async function chatOf(uid: string, origin = app.origin): Promise<Chat> {
  const chat = createChat({
    url: new URL('/v3/realtime', origin.replace('http', 'ws')).href,
    appId: app.appId,
    authToken: await tokenOf(uid),
    backoff: { baseMs: 20, maxMs: 200 },
  })
  stack.defer(() => chat.close())
  await chat.session.user
  return chat
}

/** Subscribed as a component would be; returns the snapshots so far. */
function watch<T>(live: Live<T>): T[] {
  const seen: T[] = []
  stack.defer(live.subscribe(() => seen.push(live.getSnapshot())))
  return seen
}

const user = (receiver: string) => ({ receiver, receiverType: 'user' }) as const
const group = (receiver: string) => ({ receiver, receiverType: 'group' }) as const
const texts = (messages: Live<{ readonly items: readonly ChatMessage[] }>) =>
  messages.getSnapshot().items.map(({ data }) => data.text)

function find(messages: Live<{ readonly items: readonly ChatMessage[] }>, text: string) {
  const found = messages.getSnapshot().items.find(({ data }) => data.text === text)
  if (!found) throw new Error(`There is no message "${text}".`)
  return found
}

test('messages, edits, reactions, receipts and deletions reach the other window', async () => {
  const [ann, bob] = [await chatOf('ann'), await chatOf('bob')]
  const [toBob, toAnn] = [ann.conversation(user('bob')), bob.conversation(user('ann'))]
  watch(toBob.messages)
  watch(toAnn.messages)

  const { clientId, stored } = toBob.send('hello')
  expect(toBob.messages.getSnapshot().items).toMatchObject([
    { key: clientId, state: 'sending', isOwn: true, data: { text: 'hello' } },
  ])
  const { id } = await stored
  await expect
    .poll(() => toBob.messages.getSnapshot().items)
    .toMatchObject([{ key: clientId, clientId, id, state: 'sent' }])
  await expect.poll(() => texts(toAnn.messages)).toEqual(['hello'])
  await toAnn.send('good morning').stored
  await expect.poll(() => texts(toBob.messages)).toEqual(['hello', 'good morning'])

  const untouched = find(toAnn.messages, 'good morning')
  await toBob.edit(id, 'hello!')
  await expect.poll(() => texts(toAnn.messages)).toEqual(['hello!', 'good morning'])
  await toAnn.react(id, '👍')
  const reactions = [{ reaction: '👍', count: 1, reactedByMe: true }]
  expect(find(toAnn.messages, 'hello!').data.reactions).toEqual(reactions)
  await expect
    .poll(() => find(toBob.messages, 'hello!').data.reactions)
    .toEqual([{ reaction: '👍', count: 1 }])
  await toAnn.unreact(id, '👍')
  await expect.poll(() => find(toBob.messages, 'hello!').data.reactions ?? []).toEqual([])

  expect(find(toBob.messages, 'hello!').readAt).toBeUndefined()
  await toAnn.markRead()
  await expect.poll(() => find(toBob.messages, 'hello!').readAt).toBeGreaterThan(0)
  expect(toBob.receipts.getSnapshot()).toMatchObject({ bob: { read: { at: expect.any(Number) } } })

  await toBob.pin(id)
  await expect.poll(() => toAnn.pinned.getSnapshot().map((one) => one.id)).toEqual([id])
  await toBob.delete(id)
  await expect.poll(() => texts(toAnn.messages)).toEqual([undefined, 'good morning'])
  expect(toAnn.messages.getSnapshot().items[0]).toMatchObject({ deletedAt: expect.any(Number) })
  // All that happened to the other message left this one as it was.
  expect(find(toAnn.messages, 'good morning')).toBe(untouched)
})

test('older messages are loaded page by page, and edits take no place among them', async () => {
  for (let n = 0; n < 35; n++) {
    const id = await say('ann', 'cy', `${n}`)
    if (n % 5 === 0) await full.editMessage({ params: { id }, body: { data: { text: `${n}` } } })
  }
  const { messages } = (await chatOf('cy')).conversation(user('ann'))
  watch(messages)
  await expect.poll(() => messages.getSnapshot().status).toBe('ready')
  expect(texts(messages).at(-1)).toBe('34')
  expect(messages.getSnapshot().hasMore).toBe(true)
  while (messages.getSnapshot().hasMore) await messages.loadMore()
  expect(texts(messages)).toEqual(Array.from({ length: 35 }, (_, n) => `${n}`))
})

test('the list of conversations, unread counts and typing are live', async () => {
  await say('ann', 'dan', 'one')
  await say('bob', 'dan', 'two')
  const [ann, dan, phone] = [await chatOf('ann'), await chatOf('dan'), await chatOf('dan')]
  const list = dan.conversations()
  watch(list)
  watch(phone.unread)
  const rows = () =>
    list
      .getSnapshot()
      .items.map(({ name, unread, lastMessage }) => [name, unread, lastMessage?.data.text])
  await expect.poll(rows).toEqual([
    ['BOB', 1, 'two'],
    ['ANN', 1, 'one'],
  ])
  const [unmoved] = list.getSnapshot().items
  const third = await say('ann', 'dan', 'three')
  await expect.poll(rows).toEqual([
    ['ANN', 2, 'three'],
    ['BOB', 1, 'two'],
  ])
  expect(list.getSnapshot().items[1]).toBe(unmoved)
  await expect.poll(() => phone.unread.getSnapshot()).toBe(3)

  await full.deleteMessage({ params: { id: third } })
  await expect.poll(() => dan.unread.getSnapshot()).toBe(2)
  // Read on one device, it is read on the other.
  await dan.conversation(user('ann')).markRead()
  await expect.poll(() => phone.unread.getSnapshot()).toBe(1)
  expect(dan.unread.getSnapshot()).toBe(1)
  // A conversation that was not there yet.
  await say('eve', 'dan', 'four')
  await expect.poll(() => rows()[0]).toEqual(['EVE', 1, 'four'])
  // The other two may be of the same second.
  expect(rows().slice(1).sort()).toEqual([
    ['ANN', 0, undefined],
    ['BOB', 1, 'two'],
  ])

  const toDan = ann.conversation(user('dan'))
  const seen = watch(dan.conversation(user('ann')).typingUsers)
  const typing = () => list.getSnapshot().items.find(({ name }) => name === 'ANN')?.typing
  for (let key = 0; key < 50; key++) toDan.typing()
  await expect.poll(typing).toEqual(['ann'])
  await toDan.send('five').stored
  await expect.poll(typing).toEqual([])
  expect(seen).toEqual([['ann'], []])
})

test('in a group: own reactions, replies, members, custom events, and the end of it', async () => {
  await app.given.group('choir', { owner: 'ann', members: { participants: ['bob', 'cy'] } })
  const [ann, bob] = [await chatOf('ann'), await chatOf('bob')]
  const [annIn, bobIn] = [ann.conversation(group('choir')), bob.conversation(group('choir'))]
  watch(bobIn.messages)
  watch(annIn.messages)
  watch(bobIn.members)
  const id = await sayIn('choir', 'cy', 'sing')
  await expect.poll(() => texts(bobIn.messages)).toContain('sing')
  await expect.poll(() => texts(annIn.messages)).toContain('sing')
  await bobIn.react(id, '🎵')
  await annIn.react(id, '🎵')
  const both = [{ reaction: '🎵', count: 2, reactedByMe: true }]
  await expect.poll(() => find(bobIn.messages, 'sing').data.reactions).toEqual(both)
  await expect.poll(() => find(annIn.messages, 'sing').data.reactions).toEqual(both)

  const thread = bobIn.thread(id)
  watch(thread.messages)
  await expect.poll(() => thread.messages.getSnapshot().status).toBe('ready')
  await annIn.reply(find(annIn.messages, 'sing'), { text: 'in unison', tags: ['music'] }).stored
  await expect.poll(() => texts(thread.messages)).toEqual(['in unison'])
  await expect.poll(() => find(bobIn.messages, 'sing').replyCount).toBe(1)
  expect(texts(bobIn.messages)).not.toContain('in unison')

  const uids = () =>
    bobIn.members
      .getSnapshot()
      .items.map(({ uid }) => uid)
      .sort()
  await expect.poll(uids).toEqual(['ann', 'bob', 'cy'])
  await (await chatOf('fay')).groups.join('choir')
  await expect.poll(uids).toEqual(['ann', 'bob', 'cy', 'fay'])

  const events: unknown[] = []
  bobIn.onEvent((event) => events.push(event))
  expect(annIn.sendEvent({ tempo: 96 })).toBe(true)
  await expect.poll(() => events).toEqual([{ sender: 'ann', data: { tempo: 96 } }])

  watch(bob.conversations())
  const names = () =>
    bob
      .conversations()
      .getSnapshot()
      .items.map(({ name }) => name)
  await expect.poll(names).toContain('CHOIR')
  await full.kickMember({ params: { guid: 'choir', uid: 'bob' } })
  await expect.poll(() => texts(bobIn.messages)).toEqual([])
  await expect.poll(names).not.toContain('CHOIR')
})

test('what is refused stays and can be sent again; what waits for a connection is sent once', async () => {
  const network = stack.use(await startTcpProxy(app.origin))
  const eve = await chatOf('eve', network.url)
  const toFay = eve.conversation(user('fay'))
  watch(toFay.messages)
  await full.blockUsers({ params: { uid: 'fay' }, body: { blockedUids: ['eve'] } })
  const { clientId, stored } = toFay.send('may I?')
  await expect(stored).rejects.toMatchObject({ code: 'ERR_BLOCKED_SENDER' })
  expect(toFay.messages.getSnapshot().items).toMatchObject([{ state: 'failed', clientId }])
  await full.unblockUsers({ params: { uid: 'fay' }, body: { blockedUids: ['eve'] } })
  await toFay.resend(clientId)?.stored
  await expect.poll(() => toFay.messages.getSnapshot().items).toMatchObject([{ state: 'sent' }])

  await network.close()
  await expect.poll(() => eve.connection.getSnapshot().state).not.toBe('online')
  const later = toFay.send('later')
  const meanwhile = await say('fay', 'eve', 'meanwhile')
  await full.editMessage({ params: { id: meanwhile }, body: { data: { text: 'edited' } } })
  await network.open()
  await later.stored
  await expect.poll(() => texts(toFay.messages)).toEqual(['may I?', 'edited', 'later'])
})

test('what is wrong with the address is said, and not tried for ever', async () => {
  const authToken = await tokenOf('ann')
  const origin = app.origin.replace('http', 'ws')
  const backoff = { baseMs: 1, maxMs: 5 }
  const reasonAt = async (path: string, appId?: string) => {
    const url = `${origin}${path}`
    const chat = createChat({ url, authToken, backoff, ...(appId !== undefined && { appId }) })
    await expect.poll(() => chat.connection.getSnapshot().state).toBe('closed')
    return chat.connection.getSnapshot().reason
  }
  expect(await reasonAt('/v4/realtime', app.appId)).toBe('wrongPath')
  expect(await reasonAt('/v3/realtime')).toBe('missingAppId')
  expect(await reasonAt('/v3/realtime', 'nosuchapp')).toBe('wrongAppId')
})

test('a message that moderation withholds is shown to its sender alone, at once or later', async () => {
  await full.createRule({ body: { id: 'no-spam', conditions: [{ value: 'spam' }] } })
  const [gus, hal] = [await chatOf('gus'), await chatOf('hal')]
  const [toHal, toGus] = [gus.conversation(user('hal')), hal.conversation(user('gus'))]
  watch(toHal.messages)
  watch(toGus.messages)
  watch(hal.unread)
  await expect.poll(() => toGus.messages.getSnapshot().status).toBe('ready')
  const unread = hal.unread.getSnapshot()
  for (const text of ['one', 'spam', 'two']) await toHal.send(text).stored
  await expect.poll(() => texts(toGus.messages)).toEqual(['one', 'two'])
  expect(texts(toHal.messages)).toEqual(['one', 'spam', 'two'])
  expect(find(toHal.messages, 'spam').data.moderation?.status).toBe('disapproved')
  await expect.poll(() => hal.unread.getSnapshot()).toBe(unread + 2)

  const { id = '' } = find(toHal.messages, 'one')
  await full.flagMessage({ params: { id }, onBehalfOf: 'hal', body: { reasonId: 'spam' } })
  await full.reviewFlaggedMessage({ params: { id }, body: { status: 'disapproved' } })
  await expect.poll(() => texts(toGus.messages)).toEqual(['two'])
  expect(texts(toHal.messages)).toEqual(['one', 'spam', 'two'])

  const { id: last = '' } = find(toHal.messages, 'two')
  await toHal.delete(last)
  await expect
    .poll(() => toGus.messages.getSnapshot().items)
    .toMatchObject([{ id: last, deletedBy: 'gus' }])
})

test('presence is read when somebody asks, and follows those who come and go', async () => {
  const network = stack.use(await startTcpProxy(app.origin))
  const jan = await chatOf('jan', network.url)
  const [kim, lea] = [jan.presence('kim'), jan.presence('lea')]
  expect(jan.presence('kim')).toBe(kim)
  expect(kim.getSnapshot()).toBeUndefined()
  watch(kim)
  const seen = watch(lea)
  await expect.poll(() => kim.getSnapshot()?.status).toBe('offline')
  const phone = await chatOf('kim')
  await expect.poll(() => kim.getSnapshot()?.status).toBe('available')
  phone.close()
  await expect
    .poll(() => kim.getSnapshot())
    .toEqual({ status: 'offline', lastActiveAt: expect.any(Number) })

  // Who comes while there is no connection is known after the next one.
  const elsewhere = (await chatOf('fay')).presence('kim')
  watch(elsewhere)
  await expect.poll(() => elsewhere.getSnapshot()?.status).toBe('offline')
  await network.close()
  await expect.poll(() => jan.connection.getSnapshot().state).not.toBe('online')
  await chatOf('kim')
  await expect.poll(() => elsewhere.getSnapshot()?.status).toBe('available')
  await network.open()
  await expect.poll(() => kim.getSnapshot()?.status).toBe('available')
  // Of who stays away there is nothing to say.
  expect(seen.map((one) => one?.status)).toEqual(['offline'])
})

test('users are listed page by page, found, and blocked', async () => {
  const [jan, kim] = [await chatOf('jan'), await chatOf('kim')]
  expect(await jan.users.get('kim')).toMatchObject({ uid: 'kim', name: 'KIM' })
  await expect(jan.users.get('nobody')).rejects.toMatchObject({ code: 'ERR_UID_NOT_FOUND' })
  const all = jan.users.list({ perPage: 4 })
  watch(all)
  const uidsIn = (list: typeof all) => list.getSnapshot().items.map(({ uid }) => uid)
  await expect.poll(() => all.getSnapshot()).toMatchObject({ status: 'ready', hasMore: true })
  expect(uidsIn(all)).toHaveLength(4)
  while (all.getSnapshot().hasMore) await all.loadMore()
  const others = ['ann', 'bob', 'cy', 'dan', 'eve', 'fay', 'gus', 'hal', 'kim', 'lea']
  expect(
    uidsIn(all)
      .filter((uid) => uid !== 'jan')
      .sort(),
  ).toEqual(others)
  const found = jan.users.list({ searchKey: 'LEA' })
  watch(found)
  await expect.poll(() => uidsIn(found)).toEqual(['lea'])

  const toJan = kim.conversation(user('jan'))
  await jan.users.block('kim')
  await expect(toJan.send('hello').stored).rejects.toMatchObject({ code: 'ERR_BLOCKED_SENDER' })
  await jan.users.unblock('kim')
  await expect(toJan.send('hello').stored).resolves.toMatchObject({ sender: 'kim' })
})

test('groups are made, joined with their password, listed, and left', async () => {
  const [jan, kim] = [await chatOf('jan'), await chatOf('kim')]
  const band = { guid: 'band', name: 'Band', type: 'password', password: 'secret' } as const
  expect(await jan.groups.create(band)).toMatchObject({ guid: 'band', owner: 'jan' })
  expect(await kim.groups.get('band')).toMatchObject({ name: 'Band', membersCount: 1 })
  await expect(kim.groups.join('band')).rejects.toMatchObject({ code: expect.any(String) })
  await kim.groups.join('band', 'secret')
  const joined = async () => {
    const list = kim.groups.list({ hasJoined: true })
    watch(list)
    await expect.poll(() => list.getSnapshot().status).toBe('ready')
    return list.getSnapshot().items.map(({ guid }) => guid)
  }
  expect(await joined()).toEqual(['band'])
  await kim.groups.leave('band')
  expect(await joined()).toEqual([])
})
