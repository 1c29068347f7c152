import { randomInt } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { ChoraleError, restClient } from '@chorale/sdk'
import { expect, vi } from 'vitest'
import { measureBacklog } from '../../../server/src/outbox/backlog.ts'
import { type Random, seeded } from '../seeded.ts'
import { logsOf, viewOf } from '../sends/stored.ts'
import { type Acknowledged, faultsIn, type Logs, type View } from '../sends/verdict.ts'
import type { TestApp } from '../service/test-app.ts'
import { type CrowdSize, type Room, type Someone, seedCrowd } from './crowd.ts'
import type { Fleet } from './fleet.ts'
import { openSimulatedClient, type SimulatedClient } from './simulated-client.ts'

export interface Storm extends CrowdSize {
  /** At least; and until each of the mortals has died once. */
  readonly lastsMs: number
  readonly sendsPerSecond: number
  /** The share of messages that devices send; the rest comes from a server on their behalf. */
  readonly byDevices: number
  readonly dropsPerSecond: number
  /** They die in turn; a mortal is dead for so many messages, and so many later the next one dies. */
  readonly mortals: readonly Mortal[]
  readonly messagesBetween: number
}

export interface Mortal {
  kill(): Promise<void>
  start(): Promise<void>
}

/** What the crowd was told and shown, beside what is stored. */
export interface Aftermath {
  readonly acknowledged: readonly Acknowledged[]
  readonly logs: Logs
  /** By each device, and as the API lists it. */
  readonly heard: readonly View[]
  readonly listed: readonly View[]
  readonly surprises: readonly string[]
  /** Of requests over HTTP; the message was sent again. */
  readonly failures: readonly unknown[]
  readonly kills: number
  readonly drops: number
}

const maxAttempts = 100
const wait = { timeout: 60_000, interval: 50 }

export async function weather(fleet: Fleet, storm: Storm): Promise<Aftermath> {
  using stack = new DisposableStack()
  const { app } = fleet
  const crowd = await seedCrowd(app, storm)
  // From here on another process writes.
  await allPublished(app)
  const scene: Scene = { fleet, crowd, failures: [] }
  const acknowledged = await sayEverywhere(scene, 'first')
  const { origin } = fleet.gatewayDoor
  const simulatedClients = crowd.map((one) =>
    stack.use(openSimulatedClient(one, origin, app.appId)),
  )
  const random = seeded(String(randomInt(2 ** 32)))
  const ending = new AbortController()
  const fixture = { ...scene, storm, simulatedClients, random, signal: ending.signal }
  const [kills, drops] = await Promise.all([
    killInTurn(storm, acknowledged).finally(() => ending.abort()),
    drop(fixture),
    ...simulatedClients.map((one) => talk(fixture, one, acknowledged)),
  ])
  // Whatever a device has not heard before the last message, it has missed.
  const last = await sayEverywhere(scene, 'last')
  acknowledged.push(...last)
  const heard = await heardBy(simulatedClients, last)
  const client = app.as('full')
  const listed = await Promise.all(
    last.map(({ conversation, sender }) => viewOf(client, conversation, sender)),
  )
  const surprises = simulatedClients.flatMap((one) => one.surprises)
  const { failures } = scene
  return { acknowledged, logs: await logsOf(app), heard, listed, surprises, failures, kills, drops }
}

/** Empty: everyone has the log. */
export function faultsAfter(aftermath: Aftermath): string[] {
  const { acknowledged, logs, heard, listed, surprises } = aftermath
  return [...surprises, ...faultsIn(acknowledged, logs, [...heard, ...listed])]
}

/** Nothing waits in the outbox any more. */
export async function allPublished({ db }: TestApp): Promise<void> {
  const oldest = async () => (await measureBacklog(db)).oldestAt
  await vi.waitFor(async () => expect(await oldest()).toBeUndefined(), wait)
}

interface Scene {
  readonly fleet: Fleet
  readonly crowd: readonly Someone[]
  readonly failures: unknown[]
}

interface Fixture extends Scene {
  readonly storm: Storm
  readonly simulatedClients: readonly SimulatedClient[]
  readonly random: Random
  readonly signal: AbortSignal
}

/** One message after the other, by the device itself or by a server on its behalf. */
async function talk(
  fixture: Fixture,
  simulatedClient: SimulatedClient,
  told: Acknowledged[],
): Promise<void> {
  const { storm, random, signal } = fixture
  const { uid, rooms } = simulatedClient.someone
  for (let n = 0; await paused(fixture, storm.people / storm.sendsPerSecond); n++) {
    if (signal.aborted) return
    const room = random.pick(rooms)
    const muid = `m${n}`
    const id = random.chance(storm.byDevices)
      ? await simulatedClient.send(room, muid, `${uid} ${muid}`)
      : await post(fixture, room, uid, muid)
    told.push({ conversation: room.conversation, sender: uid, muid, ids: [id] })
  }
}

/** Until there is an answer. */
async function post(scene: Scene, room: Room, sender: string, muid: string): Promise<number> {
  const { app, apiDoor } = scene.fleet
  const { receiver, receiverType } = room
  const body = { receiver, receiverType, muid, data: { text: `${sender} ${muid}` } }
  const { appId, full: apiKey } = app.keys
  const client = restClient({ baseUrl: `${apiDoor.origin}/v3`, appId, apiKey })
  for (let attempt = 1; ; attempt++) {
    try {
      const { data } = await client.sendMessage({ onBehalfOf: sender, body })
      return 'id' in data ? Number(data.id) : Number.NaN
    } catch (error) {
      const refused = error instanceof ChoraleError && error.status < 500
      if (refused || attempt === maxAttempts) throw error
      scene.failures.push(error)
      await after(attempt * 5)
    }
  }
}

/** Now a connection is cut, now a device leaves for a while. Returns how many. */
async function drop(fixture: Fixture): Promise<number> {
  const { fleet, storm, simulatedClients, random } = fixture
  let drops = 0
  const away = new Map<SimulatedClient, Promise<void>>()
  while (await paused(fixture, 1 / storm.dropsPerSecond)) {
    drops++
    const simulatedClient = random.pick(simulatedClients)
    if (random.chance(0.5) || away.has(simulatedClient)) {
      fleet.gatewayDoor.cut(random.below(fleet.gatewayDoor.open))
      continue
    }
    simulatedClient.leave()
    const back = paused(fixture, 2).then(() => {
      away.delete(simulatedClient)
      simulatedClient.come()
    })
    away.set(simulatedClient, back)
  }
  await Promise.all(away.values())
  return drops
}

async function killInTurn(storm: Storm, told: readonly Acknowledged[]): Promise<number> {
  const { mortals, lastsMs, messagesBetween } = storm
  const until = performance.now() + lastsMs
  const more = () => {
    const wanted = told.length + messagesBetween
    return vi.waitFor(() => expect(told.length).toBeGreaterThan(wanted), wait)
  }
  let kills = 0
  while (kills < mortals.length || performance.now() < until) {
    await more()
    const mortal = mortals[kills++ % mortals.length]
    await mortal?.kill()
    await more()
    await mortal?.start()
  }
  await more()
  return kills
}

/** A message to every conversation. */
function sayEverywhere(scene: Scene, muid: string): Promise<Acknowledged[]> {
  const rooms = new Map(
    scene.crowd.flatMap(({ uid, rooms }) =>
      rooms.map((room) => [room.conversation, { room, sender: uid }] as const),
    ),
  )
  return Promise.all(
    [...rooms].map(async ([conversation, { room, sender }]) => {
      const id = await post(scene, room, sender, muid)
      return { conversation, sender, muid, ids: [id] }
    }),
  )
}

/** All of it, once each device has heard the last of it. */
async function heardBy(
  simulatedClients: readonly SimulatedClient[],
  last: readonly Acknowledged[],
): Promise<View[]> {
  const ends = new Map(last.map(({ conversation, ids }) => [conversation, ids[0] ?? 0]))
  const heard = () => simulatedClients.flatMap((one) => one.views())
  const waiting = () =>
    heard().filter(({ conversation, ids }) => !ids.includes(ends.get(conversation) ?? 0)).length
  await vi.waitFor(() => expect(waiting()).toBe(0), wait)
  return heard()
}

/** For a while, this on the average; false when the storm has ended meanwhile. */
async function paused({ random, signal }: Fixture, seconds: number): Promise<boolean> {
  const ms = (2000 * seconds * random.below(1000)) / 1000
  await after(ms, undefined, { signal }).catch(() => undefined)
  return !signal.aborted
}
