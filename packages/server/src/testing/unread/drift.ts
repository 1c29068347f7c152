import { randomInt } from 'node:crypto'
import { expect } from 'vitest'
import { type Random, seeded } from '../seeded.ts'
import type { TestApp } from '../test-app.ts'
import { walkByCursor } from '../walk.ts'
import { draw } from './draws.ts'
import { openTalks, type Stage } from './open-talks.ts'
import { otherOf, perform, type Talk } from './talk.ts'

export interface Drift {
  readonly operations: number
  readonly checkpoints: number
  onProgress?(line: string): void
}

/**
 * `UNREAD_SEED=... npx vitest run ...` draws the same again; only those who write at the same time
 * may come in another order.
 */
const seed = process.env.UNREAD_SEED ?? String(randomInt(2 ** 32))

/**
 * Random operations on all conversations at once, one after another in each. At every checkpoint
 * the counts that the API shows are those that the model counts.
 */
export async function expectNoDrift(app: TestApp, wanted: Drift): Promise<void> {
  const stage = await openTalks(app, seed)
  const { talks } = stage
  const random = seeded(`${seed} checkpoints`)
  const each = Math.ceil(wanted.operations / wanted.checkpoints / talks.length)
  const since = performance.now()
  for (let n = 1; n <= wanted.checkpoints; n++) {
    await Promise.all(talks.map((talk) => play(talk, each)))
    const seen = `UNREAD_SEED=${seed}, checkpoint ${n}`
    await compareAll(stage, seen)
    const uid = random.pick(stage.uids)
    await compareLists(stage, uid, `${seen}, lists of ${uid}`)
    await compareUnread(stage, uid, `${seen}, unread of ${uid}`)
    if (n % 5 === 0) await changeRules(app, stage, random)
    const seconds = (performance.now() - since) / 1000
    const done = n * each * talks.length
    wanted.onProgress?.(`${done} operations, ${n} checkpoints, ${Math.round(done / seconds)}/s`)
  }
}

/** Between operations, so that it is known which of them were counted by which rules. */
async function changeRules({ appId }: TestApp, { client, rules }: Stage, random: Random) {
  rules.groupActions = random.chance(0.7)
  rules.messageActions = random.chance(0.3)
  const settings = {
    'core.conversations.updateOnGroupActions': rules.groupActions,
    'core.conversations.updateOnMessageActions': rules.messageActions,
  }
  await client.mapAppSettings({ params: { appId }, body: { settings } })
}

async function play(talk: Talk, times: number): Promise<void> {
  for (let left = times; left > 0; ) {
    const drawn = draw(talk)
    left -= drawn.operations ?? 1
    try {
      await perform(drawn)
    } catch (error) {
      const what = `UNREAD_SEED=${seed}, ${talk.label} with ${talk.model.entries.length} entries`
      const why = error instanceof Error ? error.message : error
      throw new Error(`${what}: "${drawn.line}" ${why}`, { cause: error })
    }
  }
}

/** Everyone's counts, from one list of the whole app. */
async function compareAll({ client, talks }: Stage, seen: string): Promise<void> {
  const pages = await walkByCursor((at) =>
    client.listConversations({ query: { perPage: 1000, includeBlockedUsers: true, ...at } }),
  )
  const shown = pages
    .flat()
    .map((one): Count => [`${one.uid} in ${one.conversationId}`, one.unreadMessageCount])
  const counted = talks.flatMap(({ label, model }) =>
    [...model.places.keys()].flatMap((uid): Count[] =>
      model.isListedFor(uid) ? [[`${uid} in ${label}`, String(model.unreadOf(uid))]] : [],
    ),
  )
  expect(differences(shown, counted), seen).toEqual([])
}

/** One user's own lists: without those who are blocked, and of what is unread. */
async function compareLists({ client, talks }: Stage, uid: string, seen: string): Promise<void> {
  const mine = talks.filter(
    ({ model }) => model.places.has(uid) && model.isListedFor(uid) && model.blockers.size === 0,
  )
  const counted = mine.map(({ label, model }): Count => [label, String(model.unreadOf(uid))])
  for (const unread of [false, true]) {
    const query = unread ? { unread } : {}
    const { data } = await client.listConversations({ query, onBehalfOf: uid })
    const shown = data.map((one): Count => [one.conversationId, one.unreadMessageCount])
    const wanted = counted.filter(([, count]) => !unread || count !== '0')
    expect(differences(shown, wanted), seen).toEqual([])
  }
}

/** The list of messages can count as well, also what lists of conversations leave out. */
async function compareUnread({ client, talks }: Stage, uid: string, seen: string): Promise<void> {
  const query = { unread: true, count: true }
  const { data } = await client.listMessages({ query, onBehalfOf: uid })
  const shown = data.flatMap((row): Count[] =>
    'entityId' in row ? [[row.entityId, String(row.count)]] : [],
  )
  const counted = talks
    .filter(({ model }) => model.places.has(uid) && model.unreadOf(uid) > 0)
    .map((talk): Count => [entityOf(talk, uid), String(talk.model.unreadOf(uid))])
  expect(differences(shown, counted), seen).toEqual([])
}

function entityOf(talk: Talk, uid: string): string {
  return talk.between.kind === 'group' ? talk.between.guid : otherOf(talk, uid)
}

type Count = readonly [where: string, count: string]

function differences(shown: readonly Count[], counted: readonly Count[]): string[] {
  const one = new Map(shown)
  const other = new Map(counted)
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((where) => one.get(where) !== other.get(where))
    .map((where) => `${where}: shown ${one.get(where)}, counted ${other.get(where)}`)
}
