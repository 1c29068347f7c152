import { afterAll, describe, expect, test, vi } from 'vitest'
import { startServing } from '../../../testing/src/processes/program.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'
import type { Listener } from '../outbox/listener.ts'

// A process takes its time to start.
vi.setConfig({ testTimeout: 120_000 })

// The lease is renewed twice in its time: it outlives a machine that is busy for some seconds.
const fixture = await startRealtimeFixture({ GATEWAY_LEASE_SECONDS: '8', PRESENCE_LIMIT: '6' })
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, settings } = fixture
const wait = { timeout: 40_000 }

const heard: unknown[] = []
const hearing: Listener = {
  name: 'hearing',
  on: { 'user.connectionStatusChanged': async ({ payload }) => void heard.push(payload) },
}
app.startWorker([hearing])

async function statusOf(uid: string) {
  return (await full.getUser({ params: { uid } })).data.status
}

describe('a user', () => {
  test('is online from the first connection to the last, for REST, devices and listeners', async () => {
    await app.given.users('ann', 'bob', 'cyd')
    const ann = await device('ann', { presence: { of: 'all' } })
    await expect.poll(() => statusOf('ann'), wait).toBe('available')
    const bob = await device('bob')
    expect(await ann.next('presence')).toMatchObject({ uid: 'bob', status: 'available' })
    const second = await device('bob')
    await bob[Symbol.asyncDispose]()
    // Comes behind what would be told of one who has left.
    const cyd = await device('cyd')
    expect(await ann.next('presence')).toMatchObject({ uid: 'cyd', status: 'available' })
    expect(await statusOf('bob')).toBe('available')
    await second[Symbol.asyncDispose]()
    const offline = await ann.next('presence')
    expect(offline).toMatchObject({ uid: 'bob', status: 'offline' })
    const { data } = await full.getUser({ params: { uid: 'bob' } })
    expect(data).toMatchObject({ status: 'offline', lastActiveAt: offline.lastActiveAt })
    await expect
      .poll(() => heard, wait)
      .toEqual([
        expect.objectContaining({ uid: 'ann', status: 'available' }),
        expect.objectContaining({ uid: 'bob', status: 'available' }),
        expect.objectContaining({ uid: 'cyd', status: 'available' }),
        expect.objectContaining({ uid: 'bob', status: 'offline' }),
      ])
    for (const one of [ann, cyd]) await one[Symbol.asyncDispose]()
  })

  test('hears of whom they asked for: of nobody, friends, roles', async () => {
    await app.given.users('non', 'fri', 'rol', 'pal')
    await app.given.role('vip')
    await app.given.user('vip', { role: 'vip' })
    await full.addFriends({ params: { uid: 'fri' }, body: { accepted: ['pal'] } })
    const none = await device('non')
    const friends = await device('fri', { presence: { of: 'friends' } })
    const roles = await device('rol', { presence: { of: 'roles', roles: ['vip'] } })
    const seen = [await device('pal'), await device('vip')]
    expect(await friends.next('presence')).toMatchObject({ uid: 'pal' })
    expect(await roles.next('presence')).toMatchObject({ uid: 'vip' })
    for (const one of seen) await one[Symbol.asyncDispose]()
    expect(await friends.next('presence')).toMatchObject({ uid: 'pal', status: 'offline' })
    expect(await roles.next('presence')).toMatchObject({ uid: 'vip', status: 'offline' })
    expect(none.of('presence')).toEqual([])
    expect(friends.of('presence')).toHaveLength(2)
    expect(roles.of('presence')).toHaveLength(2)
    for (const one of [none, friends, roles]) await one[Symbol.asyncDispose]()
  })

  test('goes offline when their gateway is killed, unless another one has them too', async () => {
    await app.given.users('one', 'two', 'eye')
    await using serving = await startServing(settings, '--parts', 'gateway')
    const { origin } = serving
    const eye = await device('eye', { presence: { of: 'all' } })
    await device('one', { origin })
    await device('two', { origin })
    const two = await device('two')
    await expect.poll(() => statusOf('one'), wait).toBe('available')
    await expect.poll(() => statusOf('two'), wait).toBe('available')
    serving.signal('SIGKILL')
    await serving.ended
    await expect.poll(() => statusOf('one'), wait).toBe('offline')
    expect(await statusOf('two')).toBe('available')
    await expect
      .poll(() => eye.of('presence').filter(({ status }) => status === 'offline'), wait)
      .toEqual([expect.objectContaining({ uid: 'one' })])
    for (const one of [eye, two]) await one[Symbol.asyncDispose]()
    for (const uid of ['eye', 'two']) {
      await expect.poll(() => statusOf(uid), wait).toBe('offline')
    }
  })

  test('is not told of in a crowd, and REST knows all the same', async () => {
    const uids = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']
    await app.given.users(...uids, 'cc')
    const watcher = await device('cc', { presence: { of: 'all' } })
    for (const uid of uids) {
      await device(uid)
      await expect.poll(() => statusOf(uid), wait).toBe('available')
    }
    await expect.poll(() => watcher.of('presence').length).toBeGreaterThanOrEqual(5)
    expect(watcher.of('presence').map(({ uid }) => uid)).not.toContain('c7')
  })
})

test('a stopping gateway says goodbye, and its devices resume elsewhere', async () => {
  await app.given.users('sto', 'fro')
  await fixture.say('fro', 'sto', '1')
  await using serving = await startServing(settings, '--parts', 'gateway')
  const sto = await device('sto', { origin: serving.origin })
  await sto.next('welcome')
  serving.signal('SIGTERM')
  const { retryAfterMs } = await sto.next('goodbye')
  expect(retryAfterMs).toBeGreaterThanOrEqual(0)
  expect(await sto.closed).toBe(4000)
  expect(await serving.ended).toBe(0)
  await expect.poll(() => statusOf('sto'), wait).toBe('offline')
  await fixture.say('fro', 'sto', '2')
  const again = await device('sto', { positions: sto.positions() })
  await expect.poll(() => again.texts()).toEqual(['2'])
})
