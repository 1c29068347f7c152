import { closeCodes } from '@chorale/contract/frames'
import { afterAll, expect, test } from 'vitest'
import { connectDevice, type Device } from '../../../testing/src/service/device.ts'
import { startRealtimeFixture } from '../../../testing/src/service/realtime-fixture.ts'

const fixture = await startRealtimeFixture({
  GATEWAY_CONNECTIONS_PER_USER: '5',
  GATEWAY_CONNECTIONS_PER_APP: '8',
})
afterAll(() => fixture[Symbol.asyncDispose]())
const { app, tokenOf } = fixture
const { origin, appId } = app

/** Connects all, and then says who they are in one moment. */
async function atOnce(tokens: readonly string[]): Promise<Device[]> {
  const devices = await Promise.all(tokens.map(() => connectDevice({ origin, appId })))
  for (const [place, device] of devices.entries()) {
    device.send({ type: 'auth', authToken: tokens[place] })
  }
  const { CLOSED } = WebSocket
  const isAnswered = ({ ws, of }: Device) => ws.readyState === CLOSED || of('welcome').length > 0
  await expect.poll(() => devices.every(isAnswered), { timeout: 30_000 }).toBe(true)
  return devices
}

const letInOf = (devices: readonly Device[]) =>
  devices.filter(({ of }) => of('welcome').length > 0).length

async function closeAll(devices: readonly Device[]): Promise<void> {
  for (const one of devices) await one[Symbol.asyncDispose]()
}

test('M1: of many connections of one moment no more than the limit of the user are let in', async () => {
  await app.given.users('race')
  const tokens = Array.from({ length: 40 }, () => '').fill(await tokenOf('race'))
  const devices = await atOnce(tokens)
  expect(letInOf(devices)).toBe(5)
  const refused = devices.filter(({ of }) => of('welcome').length === 0)
  for (const { closed } of refused) expect(await closed).toBe(closeCodes.tooManyConnections)
  await closeAll(devices)
  // Every place is free again, also those of connections that were cut.
  await expect
    .poll(async () => {
      const again = await atOnce(tokens.slice(0, 5))
      const letIn = letInOf(again)
      await closeAll(again)
      return letIn
    })
    .toBe(5)
})

test('M1: of many connections of one moment no more than the limit of the app are let in', async () => {
  const uids = Array.from({ length: 24 }, (_, place) => `one${place}`)
  await app.given.users(...uids)
  const devices = await atOnce(await Promise.all(uids.map(tokenOf)))
  expect(letInOf(devices)).toBe(8)
  await closeAll(devices)
})

test('M1: streams of events of one moment are counted before the next is let in', async () => {
  await app.given.users('streams')
  const authToken = await tokenOf('streams')
  const stopping = new AbortController()
  const { signal } = stopping
  const firstOf = async () => {
    const headers = { appId, authToken }
    const response = await fetch(`${origin}/v3/realtime/events`, { headers, signal })
    const chunk = await response.body?.getReader().read()
    return Buffer.from(chunk?.value ?? []).toString('utf8')
  }
  const said = await Promise.all(Array.from({ length: 20 }, firstOf))
  stopping.abort()
  expect(said.filter((text) => text.includes('"welcome"'))).toHaveLength(5)
  expect(said.filter((text) => text.includes('tooManyConnections'))).toHaveLength(15)
})
