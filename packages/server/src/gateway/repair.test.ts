import { afterAll, expect, inject, test } from 'vitest'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { send } from '../../../testing/src/network/wire.ts'
import { connectDevice } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const nats = stack.use(await startTcpProxy(inject('natsUrl')))
const fixture = stack.use(
  await startRealtimeFixture({ NATS_URL: nats.url, GATEWAY_COMPARE_MS: '100' }),
)
const { app, device, say } = fixture
const silent = (await fixture.otherApi('silent')).full

const textTo = (receiver: string, text: string) =>
  ({ receiver, receiverType: 'user', category: 'message', type: 'text', data: { text } }) as const

const quietly = (from: string, to: string, text: string) =>
  silent.sendMessage({ onBehalfOf: from, body: textTo(to, text) })

async function repaired(): Promise<number> {
  const { text } = await send(app.operationsOrigin, { path: '/metrics' })
  return Number(/^chorale_gateway_repaired_total (\d+)$/m.exec(text)?.[1])
}

test('a hole is closed from the log, and nothing overtakes it', async () => {
  await app.given.users('ann', 'bob')
  await say('ann', 'bob', '1')
  const bob = await device('bob')
  const before = await repaired()
  await quietly('ann', 'bob', '2')
  await quietly('ann', 'bob', '3')
  await say('ann', 'bob', '4')
  await expect.poll(() => bob.texts()).toEqual(['2', '3', '4'])
  expect(bob.of('message').map(({ seq }) => seq)).toEqual([2, 3, 4])
  await expect.poll(repaired).toBeGreaterThanOrEqual(before + 2)
})

test('a lost last message and a lost edit are found', async () => {
  await app.given.users('cia', 'cal')
  const id = await say('cia', 'cal', '1')
  const cal = await device('cal')
  await quietly('cia', 'cal', '2')
  await expect.poll(() => cal.texts()).toEqual(['2'])
  await silent.editMessage({ params: { id }, onBehalfOf: 'cia', body: { data: { text: 'I' } } })
  expect((await cal.next('changed')).message).toMatchObject({ id, data: { text: 'I' } })
})

test('a lost arrival, departure and end of a group are found', async () => {
  await app.given.users('gus', 'gia')
  await app.given.group('lost', { owner: 'gus' })
  const gia = await device('gia')
  await silent.addMembers({ params: { guid: 'lost' }, body: { participants: ['gia'] } })
  expect(await gia.next('reload')).toMatchObject({ conversationId: 'group_lost' })
  await fixture.sayIn('lost', 'gus', 'hello')
  await expect.poll(() => gia.texts()).toContain('hello')
  await silent.kickMember({ params: { guid: 'lost', uid: 'gia' } })
  expect(await gia.next('left')).toMatchObject({ conversationId: 'group_lost' })
  const gus = await device('gus')
  await silent.deleteGroup({ params: { guid: 'lost' } })
  expect(await gus.next('left')).toMatchObject({ conversationId: 'group_lost' })
})

test('what a process did not live to tell is told by the sweeper', async () => {
  const slow = stack.use(await startRealtimeFixture({ GATEWAY_COMPARE_MS: '600000' }))
  const dead = (await slow.otherApi('silent')).full
  await slow.app.given.users('una', 'uwe')
  const uwe = await slow.device('uwe')
  await dead.sendMessage({ onBehalfOf: 'una', body: textTo('uwe', 'first') })
  await expect.poll(() => uwe.texts(), { timeout: 15_000 }).toEqual(['first'])
})

test('where conversations stand is read when NATS knows that they are followed', async () => {
  await app.given.users('set', 'sid')
  await say('set', 'sid', '1')
  const followed = async () => {
    const { text } = await send(app.operationsOrigin, { path: '/metrics' })
    return Number(/^chorale_gateway_open\{what="conversations"\} (\d+)$/m.exec(text)?.[1])
  }
  const sid = stack.use(await connectDevice({ origin: app.origin, appId: app.appId }))
  const authToken = await fixture.tokenOf('sid')
  const before = await followed()
  nats.freeze()
  sid.send({ type: 'auth', authToken })
  await expect.poll(followed, { timeout: 15_000, interval: 5 }).toBe(before + 1)
  await quietly('set', 'sid', '2')
  nats.thaw()
  const { positions } = await sid.next('welcome')
  expect(Object.values(positions)).toEqual([{ seq: 2, change: 0 }])
})

test('messages go on while NATS is away, and at full speed after it', async () => {
  await app.given.users('nat', 'ned')
  await say('nat', 'ned', '1')
  const ned = await device('ned')
  await nats.close()
  await say('nat', 'ned', '2')
  await expect.poll(() => ned.texts()).toEqual(['2'])
  const late = await device('ned')
  await say('nat', 'ned', '3')
  for (const one of [ned, late]) await expect.poll(() => one.texts().at(-1)).toBe('3')
  await nats.open()
  await expect
    .poll(async () => (await send(app.operationsOrigin, { path: '/readyz' })).text, {
      timeout: 15_000,
    })
    .toContain('"degraded":false')
  late.send({ type: 'typing', receiver: 'nat', receiverType: 'user', state: 'started' })
  const nat = await device('nat')
  late.send({ type: 'typing', receiver: 'nat', receiverType: 'user', state: 'ended' })
  await nat.next('typing')
})
