import { randomInt } from 'node:crypto'
import { expect } from 'vitest'
import { findWrongCounters } from '../../../server/src/domain/log/index.ts'
import { findWrongReplies } from '../../../server/src/domain/messages/index.ts'
import { type Random, seeded } from '../seeded.ts'
import type { TestApp } from '../service/test-app.ts'
import { walkByCursor } from '../service/walk.ts'
import { takeTurn } from './draws.ts'
import { type Fixture, openTalks } from './open-talks.ts'
import { otherOf, type Talk } from './talk.ts'

export interface Drift {
  readonly operations: number
  readonly checkpoints: number
  onProgress?(line: string): void
}

/**
 * `UNREAD_SEED=... npx vitest run ...` draws the same again; only what is done at the same time may
 * come in another order.
 */
const seed = process.env.UNREAD_SEED ?? String(randomInt(2 ** 32))

/**
 * Random operations on all conversations at once, and many at once in each. At every checkpoint
 * nothing is under way, and the counts that the API shows are those that the model counts.
 *
 * The model counts by itself: it knows what was asked for, and says before whether that is refused.
 * Of the answers it takes only the ids, for the order in which entries came at once. Were the order
 * in the log another, marks would be at other places, and the counts behind them would differ.
 */
export async function expectNoDrift(app: TestApp, wanted: Drift): Promise<void> {
  const fixture = await openTalks(app, seed)
  const { talks } = fixture
  const random = seeded(`${seed} checkpoints`)
  const each = wanted.operations / wanted.checkpoints / talks.length
  const done = new Map(talks.map((talk) => [talk, 0]))
  const since = performance.now()
  for (let n = 1; n <= wanted.checkpoints; n++) {
    await Promise.all(
      talks.map(async (talk) => done.set(talk, await play(talk, done.get(talk) ?? 0, n * each))),
    )
    const seen = `UNREAD_SEED=${seed}, checkpoint ${n}`
    await compareAll(fixture, seen)
    const uid = random.pick(fixture.uids)
    await compareLists(fixture, uid, `${seen}, lists of ${uid}`)
    await compareUnread(fixture, uid, `${seen}, unread of ${uid}`)
    if (n % 5 === 0) await changeRules(app, fixture, random)
    if ((n * 20) % wanted.checkpoints >= 20) continue
    const operations = [...done.values()].reduce((sum, one) => sum + one)
    const perOperation = ((performance.now() - since) / operations).toFixed(2)
    wanted.onProgress?.(`${operations} operations, ${n} checkpoints, ${perOperation} ms each`)
  }
  await expectNothingToRepair(app)
}

/** What `chorale doctor` calls damage is never what calls have made: it would repair it. */
async function expectNothingToRepair({ db }: TestApp): Promise<void> {
  for (const counter of ['heads', 'unread', 'members'] as const) {
    expect(await findWrongCounters(db, counter), `UNREAD_SEED=${seed}, ${counter}`).toEqual([])
  }
  expect(await findWrongReplies(db), `UNREAD_SEED=${seed}, replies`).toEqual([])
}

/** Between operations, so that it is known which of them were counted by which rules. */
async function changeRules({ appId }: TestApp, { client, rules }: Fixture, random: Random) {
  rules.groupActions = random.chance(0.7)
  rules.messageActions = random.chance(0.3)
  const settings = {
    'core.conversations.updateOnGroupActions': rules.groupActions,
    'core.conversations.updateOnMessageActions': rules.messageActions,
  }
  await client.mapAppSettings({ params: { appId }, body: { settings } })
}

/** Goes on until so many are done there, and returns how many they are. */
async function play(talk: Talk, before: number, wanted: number): Promise<number> {
  let done = before
  try {
    while (done < wanted) done += await takeTurn(talk)
  } catch (error) {
    const what = `UNREAD_SEED=${seed}, ${talk.label} with ${talk.model.entries.length} entries`
    throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
  return done
}

/** Everyone's counts, from one list of the whole app. */
async function compareAll({ client, talks }: Fixture, seen: string): Promise<void> {
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
async function compareLists({ client, talks }: Fixture, uid: string, seen: string): Promise<void> {
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
async function compareUnread({ client, talks }: Fixture, uid: string, seen: string): Promise<void> {
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
