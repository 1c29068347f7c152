import { closeCodes } from '@chorale/contract/frames'
import { expect, test } from 'vitest'
import { bob, type Fixture, openFixture } from '../testing/fixture.ts'

const backoff = { baseMs: 10, maxMs: 200 }
/** The whole window, so that a delay tells how wide it was. */
const random = () => 1
/** Half of it is what a busy machine may take to answer a ping. */
const heartbeatMs = 2000

const delays = (fixture: Fixture) =>
  fixture.heard('connection').flatMap((now) => (now.state === 'waiting' ? [now.retryInMs] : []))

test('an attempt that fails is followed by a later one, up to a bound', async () => {
  await using fixture = await openFixture({ backoff, random })
  for (let attempt = 0; attempt < 7; attempt++) (await fixture.server.accept()).drop()
  await expect.poll(() => delays(fixture)).toEqual([10, 20, 40, 80, 160, 200, 200])
})

test('the delay is any part of its window', async () => {
  const parts = [0.5, 0, 0.25]
  await using fixture = await openFixture({ backoff, random: () => parts.shift() ?? 1 })
  for (let attempt = 0; attempt < 3; attempt++) (await fixture.server.accept()).drop()
  await expect.poll(() => delays(fixture)).toEqual([5, 0, 10])
})

test('only a connection that has lasted ends the row of failures', async () => {
  await using fixture = await openFixture({ backoff, random })
  for (let attempt = 0; attempt < 2; attempt++) {
    const peer = await fixture.server.accept()
    await peer.welcome()
    peer.drop()
  }
  const peer = await fixture.server.accept()
  await peer.welcome({}, heartbeatMs)
  await peer.next('ping')
  // The second ping shows that the first was answered.
  await peer.next('ping')
  peer.drop()
  await expect.poll(() => delays(fixture)).toEqual([10, 20, 10])
})

test.each([
  ['goingAway', 'again'],
  ['tooSlow', 'again'],
  ['silent', 'again'],
  ['badFrame', 'never'],
  ['notAuthenticated', 'never'],
  ['forbidden', 'never'],
  ['tooManyConnections', 'later'],
  ['overloaded', 'later'],
] as const)('%s: %s', async (reason, verdict) => {
  await using fixture = await openFixture({ backoff, random })
  const { stored } = fixture.session.send({ ...bob, data: { text: 'hi' } })
  const peer = await fixture.server.accept()
  await peer.welcome()
  peer.close(closeCodes[reason])
  if (verdict === 'never') {
    await expect.poll(() => fixture.session.connection.state).toBe('closed')
    expect(fixture.session.connection).toMatchObject({ code: closeCodes[reason] })
    await expect(stored).rejects.toMatchObject({ code: 'closed' })
    expect(() => fixture.session.send({ ...bob, data: {} })).toThrow(/closed/)
    fixture.session.retryNow()
    expect(delays(fixture)).toEqual([])
  } else {
    await fixture.server.accept()
    expect(delays(fixture)).toEqual([verdict === 'later' ? 160 : 10])
  }
})

test('the service may say when to come again, and nobody comes earlier', async () => {
  await using fixture = await openFixture({ backoff, random })
  const peer = await fixture.server.accept()
  await peer.welcome()
  peer.say({ type: 'goodbye', reason: 'restart', retryAfterMs: 70 })
  peer.close(closeCodes.goingAway)
  await fixture.server.accept()
  expect(delays(fixture)).toEqual([80])
})

test('a session that waits can be told not to', async () => {
  await using fixture = await openFixture({ backoff: { baseMs: 1e9, maxMs: 1e9 }, random })
  const peer = await fixture.server.accept()
  peer.drop()
  await expect.poll(() => fixture.session.connection.state).toBe('waiting')
  fixture.session.retryNow()
  await (await fixture.server.accept()).welcome()
})

test('pings are sent before the service would miss them', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome({}, heartbeatMs)
  for (let time = 0; time < 3; time++) await peer.next('ping')
  expect(fixture.heard('connection').map(({ state }) => state)).toEqual(['online'])
})

test('a service that does not answer is left for a new connection', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  peer.mute()
  await peer.welcome({}, 60)
  await peer.next('ping')
  await (await fixture.server.accept()).welcome()
})

test('a service that does not even welcome is left, too', async () => {
  await using fixture = await openFixture({ timeoutMs: 1500 })
  await (await fixture.server.accept()).next('auth')
  await (await fixture.server.accept()).welcome()
  await expect.poll(() => fixture.session.connection.state).toBe('online')
})

test('the auth token may be asked for anew with every connection', async () => {
  const tokens = ['first', 'second']
  await using fixture = await openFixture({ authToken: async () => tokens.shift() ?? 'none' })
  const peer = await fixture.server.accept()
  expect((await peer.next('auth')).authToken).toBe('first')
  peer.drop()
  expect((await (await fixture.server.accept()).next('auth')).authToken).toBe('second')
})

test('a token that cannot be had now is asked for later', async () => {
  let asked = 0
  const authToken = async () => {
    if (asked++ === 0) throw new Error('no network')
    return 'token'
  }
  await using fixture = await openFixture({ authToken })
  await fixture.server.accept()
  expect((await (await fixture.server.accept()).next('auth')).authToken).toBe('token')
})

test('a closed session says nothing more and keeps nobody waiting', async () => {
  await using fixture = await openFixture()
  const waiting = fixture.session.call('getMe')
  fixture.session.close()
  await expect(waiting).rejects.toMatchObject({ code: 'closed' })
  await expect(fixture.session.user).rejects.toMatchObject({ code: 'closed' })
  expect(fixture.heard('connection')).toEqual([
    { state: 'closed', code: 1000, reason: 'closedHere' },
  ])
})

test('words of another language end the connection, not the session', async () => {
  await using fixture = await openFixture()
  const peer = await fixture.server.accept()
  await peer.welcome()
  peer.sayText('<html>')
  await (await fixture.server.accept()).welcome()
})
