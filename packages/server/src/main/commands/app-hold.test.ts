import { closeCodes } from '@chorale/contract/frames'
import { afterAll, expect, test } from 'vitest'
import { choraleJson } from '../../../../testing/src/processes/program.ts'
import { connectDevice } from '../../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../../testing/src/service/realtime-fixture.ts'

const never = '600000'
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fixture = stack.use(await startRealtimeFixture({ GATEWAY_COMPARE_MS: never }))
const { app, device, tokenOf, settings } = fixture
const { appId, origin } = app
await app.given.users('ann', 'bob')
const authToken = await tokenOf('ann')

const call = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${origin}/v3${path}`, {
    method,
    headers: {
      appId,
      apikey: app.keys.full,
      onBehalfOf: 'ann',
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  }
}
const send = () =>
  call('POST', '/messages', { receiver: 'bob', receiverType: 'user', data: { text: 'Hi.' } })
const refusal = {
  status: 503,
  retryAfter: '1',
  body: { error: { code: 'ERR_MISSION_FAILED' } },
}

test('an app that is held refuses writes with 503, answers reads, and sends devices away', async () => {
  // The second of them is remembered by the process.
  for (let sent = 0; sent < 2; sent++) expect((await send()).status).toBe(200)
  const there = await device('ann')
  await there.next('welcome')

  expect(await choraleJson(settings, 'app', 'hold', appId)).toEqual({ appId, held: true })
  const apps = await choraleJson<{ heldAt: number | null }[]>(settings, 'app', 'list')
  expect(apps.filter(({ heldAt }) => heldAt !== null)).toMatchObject([{ appId }])
  expect(await send()).toMatchObject(refusal)
  expect(await call('PUT', '/users/bob', { name: 'Bob the second' })).toMatchObject(refusal)
  const { status, body } = await call('GET', '/users/bob/messages')
  expect([status, body.data.length]).toEqual([200, 2])

  expect(await there.next('goodbye')).toMatchObject({ retryAfterMs: expect.any(Number) })
  expect(await there.closed).toBe(closeCodes.goingAway)
  await using early = await connectDevice({ origin, appId, authToken })
  expect(await early.closed).toBe(closeCodes.overloaded)

  expect(await choraleJson(settings, 'app', 'release', appId)).toEqual({ appId, held: false })
  expect((await send()).status).toBe(200)
  await using again = await connectDevice({ origin, appId, authToken })
  await again.next('welcome')
})

test('who holds an app that is not there is told so', async () => {
  await expect(choraleJson(settings, 'app', 'hold', 'nobody')).rejects.toThrow(
    'There is no app nobody.',
  )
})
