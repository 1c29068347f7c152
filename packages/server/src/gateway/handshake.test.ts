import { closeCodes } from '@chorale/contract/frames'
import { afterAll, describe, expect, test } from 'vitest'
import { send } from '../../../testing/src/network/wire.ts'
import { connectDevice } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture({
  GATEWAY_ORIGINS: 'https://chat.example, https://two.example',
  GATEWAY_CONNECTIONS_PER_USER: '2',
  GATEWAY_CONNECTIONS_PER_APP: '5',
})
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, full, device, tokenOf } = fixture
const { appId, origin } = app
await app.given.users('ann', 'bob', 'cid')

const stranger = () => connectDevice({ origin, appId })

describe('a device is let in', () => {
  test.each([
    ['by the host name', { host: 'APPID.realtime-us.localhost' }],
    ['by a header', { headers: { appId: 'APPID' } }],
    ['by the address', { appId: 'APPID', path: '/v3/realtime' }],
  ])('%s', async (_, how) => {
    const named = JSON.parse(JSON.stringify(how).replace('APPID', appId))
    await using ann = await connectDevice({ origin, authToken: await tokenOf('ann'), ...named })
    expect((await ann.next('welcome')).user.uid).toBe('ann')
  })

  test('from a page of an allowed site, and from none', async () => {
    await using ann = await device('ann', { headers: { origin: 'https://two.example' } })
    await ann.next('welcome')
    await expect(device('ann', { headers: { origin: 'https://evil.example' } })).rejects.toThrow(
      '403',
    )
  })
})

describe('a device is refused', () => {
  test('with a token that does not exist', async () => {
    await using ann = await device('ann', { authToken: 'ann_123' })
    expect((await ann.next('refusal')).error.code).toBe('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
    expect(await ann.closed).toBe(closeCodes.notAuthenticated)
  })

  test('with a token of another app', async () => {
    const { appId: other } = await app.anotherApp()
    await using ann = await device('ann', { appId: other })
    expect((await ann.next('refusal')).error.code).toBe('AUTH_ERR_AUTH_TOKEN_NOT_FOUND')
    expect(await ann.closed).toBe(closeCodes.notAuthenticated)
  })

  test('without an app, or in a region where it is not', async () => {
    const authToken = await tokenOf('ann')
    await using none = await connectDevice({ origin, authToken })
    expect((await none.next('refusal')).error.code).toBe('AUTH_ERR_EMPTY_APPID')
    const host = `${appId}.realtime-eu.localhost`
    await using elsewhere = await connectDevice({ origin, authToken, host })
    expect((await elsewhere.next('refusal')).error.code).toBe('AUTH_ERR_INVALID_APPID')
  })

  test('that says something else first', async () => {
    await using hasty = await stranger()
    hasty.send({ type: 'call', id: '1', operation: 'listUsers' })
    expect(await hasty.closed).toBe(closeCodes.notAuthenticated)
    expect(hasty.heard).toEqual([])
  })

  test.each([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['an unknown type', '{"type":"constructor"}'],
    ['a missing field', '{"type":"auth"}'],
    ['a NUL', '{"type":"auth","authToken":"\\u0000"}'],
  ])('that sends %s', async (_, text) => {
    await using odd = await stranger()
    odd.ws.send(text)
    expect((await odd.next('refusal')).error).toMatchObject({ code: 'ERR_BAD_REQUEST' })
    expect(await odd.closed).toBe(closeCodes.badFrame)
  })

  test('beyond the limits of its user and its app', async () => {
    const two = [await device('ann'), await device('ann')]
    await using third = await device('ann')
    expect(await third.closed).toBe(closeCodes.tooManyConnections)
    const others = [await device('bob'), await device('bob'), await device('cid')]
    await using sixth = await device('cid')
    expect(await sixth.closed).toBe(closeCodes.tooManyConnections)
    for (const one of [...two, ...others]) await one[Symbol.asyncDispose]()
  })

  test('at another path, and a plain request is told what there is', async () => {
    await expect(device('ann', { path: '/v2' })).rejects.toThrow('404')
    expect((await send(origin, { path: '/v3/realtime' })).status).toBe(404)
  })
})

test('a request that offers HTTP/2 beside is answered as ever', async () => {
  const headers = { appId, apikey: app.keys.full, connection: 'Upgrade', upgrade: 'h2c' }
  expect((await send(origin, { path: '/v3/users', headers })).status).toBe(200)
})

test('whoever says nothing is closed, before and after they are known', async () => {
  // Longer than this machine may be busy with something else.
  await using impatient = await startRealtimeFixture({
    GATEWAY_AUTH_TIMEOUT_MS: '3000',
    // Two of these without a word: later than the time for signing in.
    GATEWAY_HEARTBEAT_MS: '3000',
  })
  await impatient.app.given.users('bob', 'cid')
  const { origin, appId } = impatient.app
  await using nobody = await connectDevice({ origin, appId })
  await using silent = await impatient.device('bob')
  await using alive = await impatient.device('cid')
  const pings = setInterval(() => alive.send({ type: 'ping' }), 100)
  try {
    expect(await nobody.closed).toBe(closeCodes.notAuthenticated)
    expect(await silent.closed).toBe(closeCodes.silent)
    await alive.next('pong')
    expect(alive.ws.readyState).toBe(alive.ws.OPEN)
  } finally {
    clearInterval(pings)
  }
})

test('a revoked token and a deactivated user end the connection', async () => {
  await app.given.users('rev', 'dea')
  await using revoked = await device('rev')
  await full.deleteAuthTokens({ params: { uid: 'rev' } })
  expect(await revoked.closed).toBe(closeCodes.notAuthenticated)
  await using deactivated = await device('dea')
  await full.deactivateUsers({ body: { uidsToDeactivate: ['dea'] } })
  expect(await deactivated.closed).toBe(closeCodes.notAuthenticated)
})
