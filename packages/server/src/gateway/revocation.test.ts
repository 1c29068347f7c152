import { closeCodes } from '@chorale/contract/frames'
import { afterAll, expect, inject, test } from 'vitest'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { startServing } from '../../../testing/src/processes/program.ts'
import { connectDevice } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const never = '600000'
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture({ GATEWAY_COMPARE_MS: never }))
const { app, full, device, tokenOf } = fixture
const { appId } = app
const revoke = (uid: string) => full.deleteAuthTokens({ params: { uid } })

/** Resolves with all that a stream of events has said, when it has ended. */
async function openStream(origin: string, authToken: string) {
  const response = await fetch(`${origin}/v3/realtime/events`, { headers: { appId, authToken } })
  return { ended: response.text() }
}

test('H1: a token that was revoked while its gateway had no NATS is closed when NATS returns', async () => {
  await app.given.users('cut', 'kept')
  await using nats = await startTcpProxy(inject('natsUrl'))
  const settings = { ...fixture.settings, NATS_URL: nats.url, GATEWAY_COMPARE_MS: never }
  await using gateway = await startServing(settings, '--parts', 'gateway')
  const { origin } = gateway
  const authToken = await tokenOf('cut')
  await using cut = await connectDevice({ origin, appId, authToken })
  await using kept = await connectDevice({ origin, appId, authToken: await tokenOf('kept') })
  const stream = await openStream(origin, authToken)
  await cut.next('welcome')
  await nats.close()
  await gateway.said('NATS is away')
  await revoke('cut')
  await nats.open()
  expect(await cut.closed).toBe(closeCodes.notAuthenticated)
  expect(await stream.ended).toContain('event: close\ndata: {"code":4401')
  kept.send({ type: 'ping' })
  await kept.next('pong')
})

test('H1: a revoked token and a deactivated user are found while NATS stays away', async () => {
  await app.given.users('rev', 'dea', 'kep')
  await using nats = await startTcpProxy(inject('natsUrl'))
  const settings = { ...fixture.settings, NATS_URL: nats.url, GATEWAY_COMPARE_MS: '200' }
  await using gateway = await startServing(settings, '--parts', 'gateway')
  const { origin } = gateway
  const connect = async (uid: string) =>
    connectDevice({ origin, appId, authToken: await tokenOf(uid) })
  await using revoked = await connect('rev')
  await using deactivated = await connect('dea')
  await using kept = await connect('kep')
  for (const one of [revoked, deactivated, kept]) await one.next('welcome')
  await nats.close()
  await gateway.said('NATS is away')
  await revoke('rev')
  expect(await revoked.closed).toBe(closeCodes.notAuthenticated)
  await full.deactivateUsers({ body: { uidsToDeactivate: ['dea'] } })
  expect(await deactivated.closed).toBe(closeCodes.notAuthenticated)
  kept.send({ type: 'ping' })
  await kept.next('pong')
})

test('H1: a check that the database does not answer closes nobody, and is made again', async () => {
  await app.given.users('dbs', 'dbk')
  await using database = await startTcpProxy(app.databaseUrl)
  const settings = { ...fixture.settings, DATABASE_URL: database.url, GATEWAY_COMPARE_MS: '200' }
  await using gateway = await startServing(settings, '--parts', 'gateway')
  const { origin } = gateway
  await using revoked = await connectDevice({ origin, appId, authToken: await tokenOf('dbs') })
  await using kept = await connectDevice({ origin, appId, authToken: await tokenOf('dbk') })
  for (const one of [revoked, kept]) await one.next('welcome')
  await database.close()
  await revoke('dbs')
  await gateway.said('could not check the credentials')
  for (const one of [revoked, kept]) {
    one.send({ type: 'ping' })
    await one.next('pong')
  }
  await database.open()
  expect(await revoked.closed).toBe(closeCodes.notAuthenticated)
  kept.send({ type: 'ping' })
  await kept.next('pong')
})

test('H1: a token that gives way to a newer one is closed', async () => {
  await app.given.users('many')
  const authToken = await tokenOf('many')
  await using oldest = await device('many', { authToken })
  await using second = await device('many')
  for (let nth = 3; nth <= 101; nth++) await tokenOf('many')
  expect(await oldest.closed).toBe(closeCodes.notAuthenticated)
  second.send({ type: 'ping' })
  await second.next('pong')
})

test('H1: the connections of an archived app are closed, and those of its neighbour are not', async () => {
  await app.given.users('neighbour')
  await using neighbour = await device('neighbour')
  const other = await app.anotherApp()
  const theirs = app.client(other, 'full')
  await theirs.createUser({ body: { uid: 'arc', name: 'arc' } })
  const { data } = await theirs.createAuthToken({ params: { uid: 'arc' }, body: {} })
  const { authToken } = data
  await using archived = await connectDevice({ origin: app.origin, appId: other.appId, authToken })
  await archived.next('welcome')
  await theirs.deleteApp({ params: { appId: other.appId } })
  expect(await archived.closed).toBe(closeCodes.notAuthenticated)
  neighbour.send({ type: 'ping' })
  await neighbour.next('pong')
})
