import type { Target } from '@chorale/sdk'
import { expect, vi } from 'vitest'
import { conversationIdOf } from '../../../server/src/domain/users/index.ts'
import { type Fleet, startFleet } from '../fleet/fleet.ts'
import { openReactPages } from '../network/react-page.ts'
import type { MortalServer } from '../processes/mortal-server.ts'
import { faultsOf, rowsFromRest } from './shown-rows.ts'
import { type Account, openPage, openProgram, type Talker } from './talkers.ts'

const uids = ['ann', 'bob', 'cyd']
const guid = 'choir'
const wait = { timeout: 60_000, interval: 100 }

/** What has become of a conversation among two pages and a program. */
export interface Outcome {
  readonly kills: number
  /** Connections that the three have lost. */
  readonly losses: number
  readonly written: number
  /** Rows that were compared, in all conversations of all three. */
  readonly rows: number
  readonly faults: readonly string[]
}

/**
 * Two pages and a program talk in a group and with each other, while gateways are killed: in each round
 * those with these numbers, 0 or 1, at once. Then what each of them shows is compared with what is stored.
 */
export async function talkThroughKills(
  stack: AsyncDisposableStack,
  rounds: readonly (readonly number[])[],
): Promise<Outcome> {
  const [fleet, pages] = await Promise.all([
    startFleet({ gateways: 2, apis: 0, workers: 0 }).then((started) => stack.use(started)),
    openReactPages(stack),
  ])
  const [ann, bob, cyd] = await seed(fleet)
  const talkers = await Promise.all([
    openPage(pages, ann),
    openPage(pages, bob),
    openProgram(stack, cyd, targetsOf(cyd.uid)),
  ])
  await allOnline(talkers)
  const talk: Talk = { fleet, talkers, written: [], dead: new Set() }
  for (const victims of rounds) await oneRound(talk, victims)
  const stored = await allStored(talk)
  const views = await viewsOf(talk)
  const complaints = pages.complaints.filter((text) => !isOfConnection.test(text))
  const faults = views.flatMap((view) => view.faults)
  const losses = await Promise.all(talkers.map((one) => one.losses()))
  return {
    kills: rounds.flat().length,
    losses: losses.reduce((sum, count) => sum + count),
    written: talk.written.length,
    rows: views.reduce((sum, { rows }) => sum + rows, 0),
    faults: [...stored, ...faults, ...complaints],
  }
}

/** The browser reports each connection that fails. */
const isOfConnection = /WebSocket connection|net::ERR_|Failed to load resource/

interface Talk {
  readonly fleet: Fleet
  readonly talkers: readonly Talker[]
  /** Texts; each is written once. */
  readonly written: string[]
  readonly dead: Set<MortalServer>
}

function targetsOf(uid: string): Target[] {
  const others = uids.filter((other) => other !== uid)
  return [
    { receiver: guid, receiverType: 'group' },
    ...others.map((receiver) => ({ receiver, receiverType: 'user' }) as const),
  ]
}

/** The group has more than one page of messages; every two have begun to talk. */
async function seed({ app, gatewayDoor }: Fleet): Promise<[Account, Account, Account]> {
  const full = app.as('full')
  const { appId } = app
  const many = { 'rateLimits.standard': 1_000_000, 'rateLimits.core': 1_000_000 }
  await full.mapAppSettings({ params: { appId }, body: { settings: many } })
  await app.given.users(...uids)
  await app.given.group(guid, { members: { participants: uids } })
  const before = Array.from({ length: 32 }, (_, n) => `before ${n}`)
  await Promise.all(before.map((text, n) => sayIn(app, uids[n % 3] ?? '', text)))
  for (const [one = '', other = ''] of [uids.slice(0, 2), uids.slice(1), ['cyd', 'ann']])
    await app.given.message(one, other, { data: { text: `${one} greets ${other}` } })
  const url = `${gatewayDoor.origin.replace('http', 'ws')}/v3/realtime`
  const account = async (uid: string) => {
    const { data } = await full.createAuthToken({ params: { uid }, body: {} })
    return { uid, url, appId, authToken: data.authToken }
  }
  return [await account('ann'), await account('bob'), await account('cyd')]
}

const sayIn = (app: Fleet['app'], uid: string, text: string) =>
  app.given.message(uid, guid, { receiverType: 'group', data: { text } })

/** Some messages are under way when the gateways die, others are written while they are dead. */
async function oneRound(talk: Talk, victims: readonly number[]): Promise<void> {
  const { gateways } = talk.fleet
  const dying = gateways.filter((_, n) => victims.includes(n))
  await bringBack(talk)
  const edited = await sayByRest(talk)
  for (const one of dying) talk.dead.add(one)
  await Promise.all([everybodyWrites(talk), ...dying.map((one) => one.kill())])
  const withdrawn = await sayByRest(talk)
  await change(talk, edited, withdrawn)
  await everybodyWrites(talk)
  // Where one is alive, it takes over.
  if (talk.dead.size === gateways.length) await bringBack(talk)
  await allOnline(talk.talkers)
}

async function bringBack({ dead }: Talk): Promise<void> {
  await Promise.all([...dead].map((one) => one.start()))
  dead.clear()
}

/** One message into each conversation. */
async function everybodyWrites({ talkers, written }: Talk): Promise<void> {
  const write = async (talker: Talker) => {
    for (const target of targetsOf(talker.uid)) {
      const text = `${talker.uid} writes ${written.length}`
      written.push(text)
      await talker.write(target, text)
    }
  }
  await Promise.all(talkers.map(write))
}

/** Returns its id. */
async function sayByRest({ fleet, written }: Talk): Promise<string> {
  const text = `a server writes ${written.length}`
  written.push(text)
  return (await sayIn(fleet.app, 'ann', text)).id
}

async function change({ fleet, written }: Talk, edited: string, gone: string): Promise<void> {
  const full = fleet.app.as('full')
  const text = `a server edits ${written.length}`
  const { data } = await full.getMessage({ params: { id: edited }, onBehalfOf: 'ann' })
  written[written.indexOf(data.data.text ?? '')] = text
  await full.editMessage({ params: { id: edited }, body: { data: { text } } })
  await full.deleteMessage({ params: { id: gone } })
}

function allOnline(talkers: readonly Talker[]): Promise<void> {
  return vi.waitFor(async () => {
    const online = await Promise.all(talkers.map((one) => one.isOnline()))
    expect(online).toEqual(talkers.map(() => true))
  }, wait)
}

/** Waits until all that was written is stored. Returns what was stored twice. */
async function allStored({ fleet, written }: Talk): Promise<string[]> {
  return await vi.waitFor(async () => {
    const counts = new Map<string, number>()
    for (const { id, uid } of conversations) {
      for (const { text } of await rowsFromRest(fleet.app.as('full'), id, uid))
        counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    const isGone = (text: string) => text.startsWith('a server writes')
    expect(written.filter((text) => !counts.has(text) && !isGone(text))).toEqual([])
    return written
      .filter((text) => (counts.get(text) ?? 0) > 1)
      .map((text) => `"${text}" is stored ${counts.get(text)} times`)
  }, wait)
}

/** One reader of each. */
const conversations = [
  { id: `group_${guid}`, uid: 'ann' },
  { id: conversationIdOf('ann', 'bob'), uid: 'ann' },
  { id: conversationIdOf('ann', 'cyd'), uid: 'ann' },
  { id: conversationIdOf('bob', 'cyd'), uid: 'bob' },
]

/** Looks again for a while, since what was stored last may still be under way. */
async function viewsOf({ fleet, talkers }: Talk) {
  const views: { readonly rows: number; readonly faults: readonly string[] }[] = []
  for (const talker of talkers) {
    for (const target of targetsOf(talker.uid)) {
      const { uid, name } = talker
      const isGroup = target.receiverType === 'group'
      const id = isGroup ? `group_${guid}` : conversationIdOf(uid, target.receiver)
      const stored = await rowsFromRest(fleet.app.as('full'), id, uid)
      const until = performance.now() + 10_000
      let faults: string[]
      do faults = faultsOf(await talker.rows(target), stored)
      while (faults.length > 0 && performance.now() < until)
      const where = `${name}, with ${target.receiver}:`
      views.push({ rows: stored.length, faults: faults.map((fault) => `${where} ${fault}`) })
    }
  }
  return views
}
