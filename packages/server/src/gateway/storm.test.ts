import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Device } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture()
afterAll(() => fixture[Symbol.asyncDispose]())

const uids = Array.from({ length: 200 }, (_, n) => `user-${n}`)

const wait = { timeout: 40_000, interval: 50 }

/** What a device was shown of the group, before and after it was away. */
const shown = (...devices: readonly Device[]) => devices.flatMap((one) => one.texts())

const { app, full, sayIn, tokenOf } = fixture
const [owner = '', ...participants] = uids
const tokens = new Map<string, string>()
const device = (uid: string, how: Parameters<typeof fixture.device>[1] = {}) =>
  fixture.device(uid, { ...how, authToken: tokens.get(uid) ?? '' })

beforeAll(async () => {
  await app.given.users(...uids)
  await app.given.group('all', { owner })
  for (let n = 0; n < participants.length; n += 25) {
    const body = { participants: participants.slice(n, n + 25) }
    await full.addMembers({ params: { guid: 'all' }, body })
  }
  for (const uid of uids) tokens.set(uid, await tokenOf(uid))
})

test('half of 200 devices lose their gateway at once, come back to another and miss nothing', async () => {
  const { origin } = await fixture.otherApi('live')
  const staying = await Promise.all(uids.slice(100).map((uid) => device(uid)))
  const dropped = await Promise.all(uids.slice(0, 100).map((uid) => device(uid, { origin })))
  let said = 0
  let over = false
  const say = async () => {
    while (!over) await sayIn('all', owner, String(++said))
  }
  const saying = Promise.all([say(), say(), say(), say()])
  await expect.poll(() => dropped.every((one) => one.texts().length > 5), wait).toBe(true)

  for (const { ws } of dropped) ws.terminate()
  const saidBefore = said
  const back = await Promise.all(
    dropped.map((gone, n) => device(uids[n] ?? '', { positions: gone.positions() })),
  )
  expect(said).toBeGreaterThan(saidBefore)
  over = true
  await saying
  const journeys = [
    ...staying.map((one) => [one]),
    ...back.map((one, n) => [...dropped.slice(n, n + 1), one]),
  ]
  await expect
    .poll(() => journeys.every((devices) => shown(...devices).length >= said), wait)
    .toBe(true)
  const [all = []] = staying.map((one) => one.texts())
  expect(new Set(all).size).toBe(said)
  for (const devices of journeys) expect(shown(...devices)).toEqual(all)
  expect(back.flatMap((one) => one.of('reload'))).toEqual([])
})
