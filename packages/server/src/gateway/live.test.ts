import { afterAll, describe, expect, test } from 'vitest'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, say, sayIn } = fixture

const numbers = (n: number) => Array.from({ length: n }, (_, place) => `${place + 1}`)

describe('a message', () => {
  test('reaches both sides once and in order, the first of all included', async () => {
    await app.given.users('ann', 'bob')
    const devices = [await device('ann'), await device('bob'), await device('bob')]
    for (const text of numbers(5)) await say('ann', 'bob', text)
    for (const one of devices) {
      await expect.poll(() => one.texts()).toEqual(numbers(5))
      expect(one.of('message').map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    }
    expect(devices[2]?.of('message')[0]?.message).toMatchObject({
      sender: 'ann',
      receiver: 'bob',
      data: { entities: { sender: { entity: { uid: 'ann' } } } },
    })
  })

  test('of a group reaches its members from every process at once, in one order', async () => {
    await app.given.users('gus', 'gil', 'gia')
    await app.given.group('many', { owner: 'gus', members: { participants: ['gil', 'gia'] } })
    const other = await fixture.otherApi('live')
    const devices = [
      await device('gus'),
      await device('gil', { origin: other.origin }),
      await device('gia'),
    ]
    const body = {
      receiver: 'many',
      receiverType: 'group',
      category: 'message',
      type: 'text',
    } as const
    await Promise.all(
      numbers(40).flatMap((text) => [
        sayIn('many', 'gus', text),
        other.full.sendMessage({ onBehalfOf: 'gil', body: { ...body, data: { text } } }),
      ]),
    )
    const { data } = await full.listGroupMessages({
      params: { guid: 'many' },
      query: { limit: 100 },
    })
    const ids = data.flatMap((one) => ('id' in one && one.category === 'message' ? one.id : []))
    for (const one of devices) {
      await expect.poll(() => one.of('message').length, { timeout: 15_000 }).toBe(80)
      expect(one.of('message').map(({ message }) => message.id)).toEqual(ids)
      expect(one.of('message').map(({ seq }) => seq)).toEqual(numbers(80).map((n) => Number(n) + 2))
    }
  })

  test('is shown without what is private, and without what is only for one of the members', async () => {
    await app.given.user('pat', { metadata: { open: 1, '@private': { secret: 1 } } })
    await app.given.users('pam')
    await app.given.group('plain', { owner: 'pat', members: { participants: ['pam'] } })
    const pam = await device('pam')
    await sayIn('plain', 'pat', 'hello')
    await expect.poll(() => pam.texts()).toEqual(['hello'])
    const { data } = pam.of('message')[0]?.message ?? {}
    expect(data).toMatchObject({
      entities: {
        sender: { entity: { uid: 'pat', metadata: { open: 1 } } },
        receiver: { entity: { guid: 'plain', hasJoined: true } },
      },
    })
    expect(JSON.stringify(data)).not.toMatch(/secret|_user_/)
  })

  test('that is edited or deleted is shown as it is now', async () => {
    await app.given.users('eda', 'edo')
    const edo = await device('edo')
    const first = await say('eda', 'edo', 'helo')
    const second = await say('eda', 'edo', 'oops')
    // Whoever hears of a message late is shown it as it is by then.
    await expect.poll(() => edo.texts()).toEqual(['helo', 'oops'])
    await full.editMessage({
      params: { id: first },
      onBehalfOf: 'eda',
      body: { data: { text: 'hello' } },
    })
    await full.deleteMessage({ params: { id: second }, onBehalfOf: 'eda' })
    const edited = await edo.next('changed')
    const deleted = await edo.next('changed')
    expect(edited).toMatchObject({
      seq: 1,
      change: 1,
      message: { id: first, data: { text: 'hello' } },
    })
    expect(deleted).toMatchObject({ seq: 2, change: 2, message: { id: second } })
    expect(deleted.message.deletedAt).toBeGreaterThan(0)
  })
})

describe('a device', () => {
  test('makes calls as its user, and is answered by the same id', async () => {
    await app.given.users('cal', 'cam')
    const cal = await device('cal')
    const body = {
      receiver: 'cam',
      receiverType: 'user',
      category: 'message',
      type: 'text',
      data: { text: 'hi' },
    }
    cal.send({ type: 'call', id: 'a', operation: 'sendMessage', input: { body } })
    cal.send({ type: 'call', id: 'b', operation: 'listUsers' })
    cal.send({ type: 'call', id: 'c', operation: 'deleteUser', input: { params: { uid: 'cam' } } })
    cal.send({ type: 'call', id: 'd', operation: 'noSuchThing' })
    cal.send({ type: 'call', id: 'e', operation: 'sendMessage', input: { body: {} } })
    const sent = await cal.next('answer')
    expect(sent).toMatchObject({ id: 'a', body: { data: { sender: 'cal', data: { text: 'hi' } } } })
    expect(await cal.next('answer')).toMatchObject({ id: 'b' })
    expect(await cal.next('refusal')).toMatchObject({
      id: 'c',
      error: { code: 'AUTH_ERR_NO_ACCESS' },
    })
    expect(await cal.next('refusal')).toMatchObject({
      id: 'd',
      error: { code: 'ERR_API_NOT_FOUND' },
    })
    expect(await cal.next('refusal')).toMatchObject({ id: 'e', error: { code: 'ERR_BAD_REQUEST' } })
    // H3: what JSON cannot say as a number is no number as a text either.
    for (const limit of ['Infinity', '-Infinity', '1e300', 'NaN', -1, 0.5, [null], {}]) {
      const query = { limit, sentAt: 1 }
      cal.send({ type: 'call', id: 'f', operation: 'listMessages', input: { query } })
      expect(await cal.next('refusal'), String(limit)).toMatchObject({
        id: 'f',
        error: { code: 'ERR_BAD_REQUEST' },
      })
    }
    expect((await cal.next('message')).message).toMatchObject({ sender: 'cal' })
  })

  test('does not become another by a name in the wrong place', async () => {
    await app.given.users('own', 'oth')
    const own = await device('own')
    const ask = (operation: string, params: object, query: object) =>
      own.send({ type: 'call', id: operation, operation, input: { params, query } })
    ask('getTimezone', { uid: 'own' }, { uid: 'oth' })
    ask('listFriends', { uid: 'oth' }, { uid: 'own' })
    const denied = { code: 'ERR_PERMISSION_DENIED' }
    expect(await own.next('refusal')).toMatchObject({ id: 'getTimezone', error: denied })
    expect(await own.next('refusal')).toMatchObject({ id: 'listFriends', error: denied })
    ask('getTimezone', {}, { uid: 'own' })
    expect(await own.next('answer')).toMatchObject({ body: { data: { timezone: 'EST' } } })
  })

  test('hears of receipts', async () => {
    await app.given.users('rea', 'reb')
    const rea = await device('rea')
    const id = await say('rea', 'reb', 'read me')
    await full.markUserConversationRead({ params: { uid: 'rea' }, onBehalfOf: 'reb' })
    const receipt = { conversationId: 'rea_user_reb', kind: 'read', uid: 'reb', messageId: id }
    expect(await rea.next('receipt')).toMatchObject(receipt)
  })

  test('hears of typing and of what is kept nowhere, but not of its own', async () => {
    await app.given.users('tia', 'tim', 'out')
    await app.given.group('typers', { owner: 'tia', members: { participants: ['tim'] } })
    await say('tia', 'tim', 'hi')
    const [tia, tim, out] = [await device('tia'), await device('tim'), await device('out')]
    const to = { receiver: 'tim', receiverType: 'user' }
    tia.send({ type: 'typing', ...to, state: 'started' })
    expect(await tim.next('typing')).toMatchObject({ sender: 'tia', ...to, state: 'started' })
    const group = { receiver: 'typers', receiverType: 'group' }
    tim.send({ type: 'transient', ...group, data: { live: 1 } })
    expect(await tia.next('transient')).toMatchObject({
      sender: 'tim',
      ...group,
      data: { live: 1 },
    })
    out.send({ type: 'typing', ...group, state: 'started' })
    expect((await out.next('refusal')).error.code).toBe('ERR_CONVERSATION_NOT_ACCESSIBLE')
    for (const one of [tia, tim]) {
      one.send({ type: 'ping' })
      await one.next('pong')
    }
    expect([...tia.of('typing'), ...tim.of('transient')]).toEqual([])
  })

  test('does not hear of the typing of someone who is blocked', async () => {
    await app.given.users('bla', 'ble')
    await say('bla', 'ble', 'hi')
    const [bla, ble] = [await device('bla'), await device('ble')]
    await full.blockUsers({ params: { uid: 'ble' }, body: { blockedUids: ['bla'] } })
    const typing = (receiver: string) =>
      ({ type: 'typing', receiver, receiverType: 'user', state: 'started' }) as const
    // The block travels on its own; typing that was on its way may arrive.
    await expect
      .poll(async () => {
        const before = ble.of('typing').length
        bla.send(typing('ble'))
        bla.send({ type: 'ping' })
        await bla.next('pong')
        await say('bla', 'ble', 'x').catch(() => undefined)
        return ble.of('typing').length - before
      })
      .toBe(0)
  })
})

test.each([
  ['hears', 'oa', 'ob', 'ob'],
  ['speaks', 'pa', 'pb', 'pa'],
])('H5: typing and transient frames do not pass a block of who %s', async (_, from, to, blocks) => {
  await app.given.users(from, to)
  await say(from, to, 'hi')
  await app.given.group(`both-${to}`, { owner: from, members: { participants: [to] } })
  const [one, other] = [await device(from), await device(to)]
  const blocked = blocks === from ? to : from
  await full.blockUsers({ params: { uid: blocks }, body: { blockedUids: [blocked] } })
  const toUser = { receiver: to, receiverType: 'user' } as const
  const group = { receiver: `both-${to}`, receiverType: 'group' } as const
  const direct = () => other.of('typing').length + heard(to)
  const heard = (receiver: string) =>
    other.of('transient').filter((frame) => frame.receiver === receiver).length
  // The block travels on its own; what was on its way may arrive. Ten frames a second are passed on.
  await expect
    .poll(
      async () => {
        const [before, behind] = [direct(), heard(group.receiver)]
        one.send({ type: 'typing', ...toUser, state: 'started' })
        one.send({ type: 'transient', ...toUser, data: {} })
        // Behind the others, and not stopped by a block.
        one.send({ type: 'transient', ...group, data: {} })
        await expect.poll(() => heard(group.receiver)).toBeGreaterThan(behind)
        return direct() - before
      },
      { interval: 500 },
    )
    .toBe(0)
})

describe('a member', () => {
  test('who is added or joins hears of the group from then on', async () => {
    await app.given.users('jon', 'jim')
    await app.given.group('club', { owner: 'jon' })
    await sayIn('club', 'jon', 'before')
    const jim = await device('jim')
    await full.addMembers({ params: { guid: 'club' }, body: { participants: ['jim'] } })
    await sayIn('club', 'jon', 'after')
    // The entry of the own arrival may be there or not: it is from before they could see.
    await expect.poll(() => jim.texts().filter((text) => text !== undefined)).toEqual(['after'])
  })

  test('who is kicked and added again at once hears on', async () => {
    await app.given.users('yan', 'yin')
    await app.given.group('yoyo', { owner: 'yan', members: { participants: ['yin'] } })
    const yin = await device('yin')
    for (let n = 0; n < 5; n++) {
      await full.kickMember({ params: { guid: 'yoyo', uid: 'yin' } })
      await full.addMembers({ params: { guid: 'yoyo' }, body: { participants: ['yin'] } })
    }
    await sayIn('yoyo', 'yan', 'still here')
    await expect.poll(() => yin.texts()).toContain('still here')
    // Who is kicked before they were let in again was never back, and is not told that they left.
    expect(yin.of('left').length).toBeGreaterThan(0)
    expect(yin.of('left').length).toBeLessThanOrEqual(5)
    expect(yin.of('reload')).toEqual([])
  })

  test('who founds a group hears of it', async () => {
    await app.given.users('fay')
    const fay = await device('fay')
    await app.given.group('found', { owner: 'fay' })
    await sayIn('found', 'fay', 'mine')
    await expect.poll(() => fay.texts()).toEqual(['mine'])
  })

  test('hears that the group is deleted', async () => {
    await app.given.users('del')
    await app.given.group('gone', { owner: 'del' })
    const del = await device('del')
    await full.deleteGroup({ params: { guid: 'gone' } })
    expect(await del.next('left')).toMatchObject({ conversationId: 'group_gone' })
  })

  test.each(['kick', 'ban'] as const)(
    'hears nothing after a %s, whichever news are lost',
    async (how) => {
      const [own, out, guid] = [`${how}-own`, `${how}-out`, `${how}-group`]
      await app.given.users(own, out)
      await app.given.group(guid, { owner: own, members: { participants: [out] } })
      const id = await sayIn(guid, own, 'before')
      const [staying, leaving] = [await device(own), await device(out)]
      const silent = (await fixture.otherApi('silent')).full
      if (how === 'kick') await silent.kickMember({ params: { guid, uid: out } })
      else await silent.banUser({ params: { guid, uid: out } })
      // Nobody was told of the departure. Both of these come behind it.
      await full.editMessage({
        params: { id },
        onBehalfOf: own,
        body: { data: { text: 'edited' } },
      })
      await sayIn(guid, own, 'after')
      await expect.poll(() => staying.texts()).toContain('after')
      await staying.next('changed')
      await leaving.next('left')
      leaving.send({ type: 'ping' })
      await leaving.next('pong')
      const types = leaving.heard.map(({ type }) => type)
      expect(types).toEqual(['welcome', 'message', 'left', 'pong'])
      expect(leaving.of('message')[0]?.message).toMatchObject({ category: 'action' })
    },
  )
})
