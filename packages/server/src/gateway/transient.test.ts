import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../../testing/src/network/wire.ts'
import type { Device } from '../../../testing/src/service/device.ts'
import {
  type RealtimeFixture,
  startRealtimeFixture,
} from '../../../testing/src/service/realtime-fixture.ts'

const bytesPerUser = 20_000
let fixture: RealtimeFixture
const group = { receiver: 'hall', receiverType: 'group' } as const

beforeAll(async () => {
  fixture = await startRealtimeFixture({ TRANSIENT_BYTES_PER_USER: String(bytesPerUser) })
  const { app } = fixture
  for (const uid of ['sam', 'lea', 'end']) await app.given.user(uid)
  await app.given.group('hall', { owner: 'sam', members: { participants: ['lea', 'end'] } })
})
afterAll(() => fixture[Symbol.asyncDispose]())

/** Resolves when everything that these devices have sent so far has been passed on, or not. */
async function passedOn(devices: readonly Device[], heardBy: Device): Promise<void> {
  for (const device of devices) {
    device.send({ type: 'ping' })
    await device.next('pong')
  }
  const end = await fixture.device('end')
  end.send({ type: 'typing', ...group, state: 'ended' })
  await heardBy.next('typing')
}

test('M2: frames of all connections of a user are counted together', async () => {
  const authToken = await fixture.tokenOf('sam')
  const lea = await fixture.device('lea')
  const devices = await Promise.all(
    Array.from({ length: 10 }, () => fixture.device('sam', { authToken })),
  )
  const startedAt = performance.now()
  for (const device of devices) {
    for (let n = 0; n < 10; n++) device.send({ type: 'transient', ...group, data: { n } })
  }
  await passedOn(devices, lea)
  const seconds = (performance.now() - startedAt) / 1000
  const heard = lea.of('transient').length
  expect(heard).toBeGreaterThanOrEqual(10)
  expect(heard).toBeLessThanOrEqual(11 + 10 * seconds)
})

test('M2: each is taken from the budget of the device', async () => {
  const uid = 'bea'
  await fixture.app.given.user(uid)
  await fixture.full.addMembers({ params: { guid: 'hall' }, body: { participants: [uid] } })
  const authToken = await fixture.tokenOf(uid)
  const lea = await fixture.device('lea')
  const device = await fixture.device(uid, { authToken })
  for (let n = 0; n < 5; n++) device.send({ type: 'typing', ...group, state: 'started' })
  await passedOn([device], lea)
  const { headers } = await send(fixture.app.origin, {
    path: '/v3/me',
    headers: { appId: fixture.app.appId, authToken },
  })
  const left = Number(headers['x-rate-limit-remaining'])
  expect(left).toBe(Number(headers['x-rate-limit']) - 6)
})

test('M2: what they cost all listeners together is bounded', async () => {
  const uid = 'max'
  await fixture.app.given.user(uid)
  await fixture.full.addMembers({ params: { guid: 'hall' }, body: { participants: [uid] } })
  const authToken = await fixture.tokenOf('lea')
  const listeners = await Promise.all(
    Array.from({ length: 9 }, () => fixture.device('lea', { authToken })),
  )
  const device = await fixture.device(uid)
  const [first] = listeners
  if (!first) throw new Error('There are nine.')
  const startedAt = performance.now()
  for (let n = 0; n < 10; n++) {
    device.send({ type: 'transient', ...group, data: { n, pad: 'x'.repeat(1000) } })
  }
  await passedOn([device], first)
  const seconds = (performance.now() - startedAt) / 1000
  const heard = first.of('transient').filter(({ sender }) => sender === uid).length
  // Ten frames to ten and more connections are over 100,000 bytes.
  expect(heard).toBeGreaterThanOrEqual(1)
  expect(heard * 1000 * 10).toBeLessThanOrEqual(bytesPerUser * (1 + seconds))
})
