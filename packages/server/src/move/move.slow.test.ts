import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { restClient } from '@chorale/sdk'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { startHosted } from '../../../testing/src/move/hosted.ts'
import { watchLag } from '../../../testing/src/move/lag.ts'
import { type MovingProcess, startMoving } from '../../../testing/src/move/moving-process.ts'
import { fillOldSide, guidOf } from '../../../testing/src/move/old-side.ts'
import { startWebhookRelay } from '../../../testing/src/move/webhook-relay.ts'
import { Writers } from '../../../testing/src/move/writers.ts'
import { openReceiver } from '../../../testing/src/network/receiver.ts'
import { startPushFixture } from '../../../testing/src/notifications/push-fixture.ts'
import { startServing } from '../../../testing/src/processes/program.ts'
import { seeded } from '../../../testing/src/seeded.ts'
import { startWebhookFixture } from '../../../testing/src/webhooks/webhook-fixture.ts'
import { freePort } from '../main/start/free-port.ts'
import { Side } from './side.ts'

/** A fiftieth of what the goal says; `MOVE_SHARE=1` is all of it. */
const share = Number(process.env.MOVE_SHARE ?? 0.02)
const size = {
  users: Math.round(100_000 * share),
  groups: Math.round(10_000 * share),
  messages: Math.round(1_000_000 * share),
}
const perSecond = Number(process.env.MOVE_WRITES ?? 50)
const followSeconds = Number(process.env.MOVE_FOLLOW_SECONDS ?? 60)
const kills = { run: 8, follow: 2 }
const maxBytes = 512 * 1024 * 1024
const maxLagMs = 5000
const writesBack = 1000
const catchingUp = { timeout: 1_800_000, interval: 500 }

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const random = seeded(process.env.MOVE_SEED ?? 'move')

const old = stack.use(await startWebhookFixture({}, { worker: 'elsewhere' }))
const fresh = stack.use(await startPushFixture({ settings: { EGRESS_HTTP: 'true' } }))
const oldServer = stack.use(await startServing(old.settings))
const freshServer = stack.use(await startServing(fresh.settings))
const hosted = stack.use(
  await startHosted({
    origin: oldServer.origin,
    pageSize: 1000,
    every: { limited: 401, failed: 131, cut: 173 },
    perSecond: 333,
  }),
)
const port = await freePort()
const relay = stack.use(
  await startWebhookRelay({ to: `http://127.0.0.1:${port}/`, random, lateMs: 20_000 }),
)
const secret = randomBytes(16).toString('hex')
const folder = mkdtempSync(join(tmpdir(), 'chorale-move-'))
const sides = [
  ...['--from-url', hosted.url, '--from-app', old.app.appId],
  ...['--to-url', `${freshServer.origin}/v3`, '--to-app', fresh.app.appId],
  ...['--state', join(folder, 'state.json'), '--json'],
]
const keys = { from: old.app.keys.full, to: fresh.app.keys.full }
let peak = 0

function move(...args: readonly string[]): MovingProcess {
  const moving = startMoving([...args, ...sides], keys, { CHORALE_MOVE_WEBHOOK_SECRET: secret })
  void moving.ended.then(() => {
    peak = Math.max(peak, moving.peakBytes())
  })
  return moving
}

const heard = ['--webhooks', String(port)]

async function printed({ ended }: MovingProcess) {
  const { stdout, stderr } = await ended
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

const clientOf = (origin: string, { appId, full }: { appId: string; full: string }) =>
  restClient({ baseUrl: `${origin}/v3`, appId, apiKey: full })

function say(text: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = Date.now()
  const result = await work()
  say(`${what}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
  return result
}

/** Webhooks of the old side lead to the program, by way of the relay. */
async function createWebhook(): Promise<void> {
  const { appId } = old.app
  const params = { appId, webhookId: 'move' }
  const headers = { 'X-Webhook-Version': 2 }
  const auth = { useBasicAuth: true, username: 'move', password: secret }
  const body = { id: 'move', name: 'move', webhookURL: relay.url, retryOnFailure: true, ...auth }
  await old.full.createWebhook({ params: { appId }, headers, body })
  const triggerIds = [
    ...['message_sent', 'message_edited', 'message_deleted', 'message_reaction_added'],
    ...['message_reaction_removed', 'message_read_receipt', 'message_delivery_receipt'],
    ...['group_member_joined', 'group_member_left', 'group_updated'],
  ]
  await old.full.addWebhookTriggers({ params, headers, body: { triggerIds } })
}

/** A phone on the new side in each of a few groups, and a webhook there. */
async function listenHere({ begin, membersOf }: There) {
  const people = [0, 1, 2, 3, 4].map((group) => membersOf(group)[1] ?? '')
  const users = Object.fromEntries(people.map((uid) => [uid, { uid, name: uid, createdAt: begin }]))
  await fresh.full.importUsers({ body: { users } })
  await fresh.useGoogle('google')
  const tokens: string[] = []
  for (const uid of people) tokens.push(await fresh.android(uid, 'google'))
  const receiver = stack.use(await openReceiver())
  const { appId } = fresh.app
  const headers = { 'X-Webhook-Version': 2 }
  const body = { id: 'here', name: 'here', webhookURL: receiver.url }
  await fresh.full.createWebhook({ params: { appId }, headers, body })
  const triggers = { triggerIds: ['message_sent', 'message_edited', 'message_reaction_added'] }
  const params = { appId, webhookId: 'here' }
  await fresh.full.addWebhookTriggers({ params, headers, body: triggers })
  const shown = () => tokens.flatMap((token) => fresh.google.screens.on(token))
  return { receiver, shown }
}

const answers = () => hosted.answered.values().reduce((sum, one) => sum + one, 0)

/** Starts the command again and again, each time killed after so many answers more. */
async function killed(times: number, after: number, ...args: readonly string[]): Promise<void> {
  for (let nth = 0; nth < times; nth++) {
    const moving = move(...args)
    const goal = answers() + after + random.below(after)
    const early = moving.ended.then(({ code, stderr }) => {
      if (code !== null) throw new Error(`It ended before it was killed: ${code} ${stderr}`)
    })
    while (answers() < goal) await Promise.race([sleep(20), early])
    moving.kill()
    await early
  }
}

test('an app moves while it is written to, is compared, and goes back', async () => {
  const side = { url: `${oldServer.origin}/v3`, appId: old.app.appId, apiKey: keys.from }
  const there = await timed('filled', () =>
    fillOldSide(new Side({ ...side, parallel: 4 }), size, random),
  )
  await createWebhook()
  const here = await listenHere(there)
  const writers = new Writers(clientOf(oldServer.origin, old.app.keys), there, random)
  writers.start(perSecond)
  await sleep(3000)

  const started = Date.now()
  const calls = size.groups * 2 + size.messages / 50
  await killed(kills.run, Math.ceil(calls / 20), 'run', ...heard)
  const { moved, left } = await printed(move('run', ...heard))
  const seconds = (Date.now() - started) / 1000
  say(`moved ${JSON.stringify(moved)} in ${seconds.toFixed(0)} s, killed ${kills.run} times`)
  say(`${Math.round(moved.messages / seconds)} messages/s with everything else`)
  expect(left).toEqual([])

  await killed(kills.follow, 40, 'follow', ...heard)
  const following = move('follow', ...heard)
  const watch = () => watchLag(fresh.app.databaseUrl, fresh.app.appId, writers.sentAt, Date.now())
  // What was written while positions were moved comes first.
  await timed('caught up', async () => {
    await using first = await watch()
    await expect.poll(() => first.seen.some((ms) => ms < maxLagMs), catchingUp).toBe(true)
  })
  const lag = await watch()
  await sleep(followSeconds * 1000)
  await writers.stop()
  await sleep(10_000)
  following.stop()
  const followed = await printed(following)
  await lag[Symbol.asyncDispose]()
  const p99 = lag.seen.toSorted((a, b) => a - b)[Math.floor(lag.seen.length * 0.99)] ?? Infinity
  say(`follow: lag p99 ${p99} ms of ${lag.seen.length} messages, said ${followed.lagSeconds} s`)
  say(`written there: ${JSON.stringify([...writers.counts])}, refused ${writers.refused.length}`)
  say(`webhooks: ${JSON.stringify(relay.calls)}; faults: ${JSON.stringify(hosted.faults)}`)
  expect(hosted.broken).toEqual([])
  expect(followed.left).toEqual([])

  // What a lost webhook told of is found by reading everything again.
  const days = relay.calls.lost > 0 ? ['--days', '500'] : []
  const cut = await timed(`cut-over ${days}`, () => printed(move('cut-over', ...days, ...heard)))
  expect(cut.left).toEqual([])
  const compared = await timed('compare', () => printed(move('compare')))
  say(`${compared.differing} of ${compared.compared} differ`)
  expect(compared).toMatchObject({ differing: 0, differences: [] })
  expect([here.shown(), here.receiver.received]).toEqual([[], []])

  await goBack(there, here)
  say(`most memory of the program: ${(peak / 1024 / 1024).toFixed(0)} MB`)
  expect(peak).toBeLessThan(maxBytes)
  expect(p99).toBeLessThan(maxLagMs)
}, 7_200_000)

type There = Awaited<ReturnType<typeof fillOldSide>>
type Here = Awaited<ReturnType<typeof listenHere>>

/** Writes on the new side: each is pushed once, and is on the old side afterwards. */
async function goBack(there: There, here: Here): Promise<void> {
  const full = clientOf(freshServer.origin, fresh.app.keys)
  const writers = new Writers(full, there, random)
  for (let nth = 0; nth < writesBack; nth++) await writers.write()
  for (let group = 0; group < 5; group++) {
    const sender = there.membersOf(group)[0] ?? ''
    const body = { receiver: guidOf(group), receiverType: 'group', data: { text: 'x' } } as const
    await full.sendMessage({ onBehalfOf: sender, body })
  }
  const done = [...writers.counts]
  say(`written here: ${JSON.stringify(done)}, refused ${JSON.stringify(writers.refused)}`)
  await expect.poll(() => here.shown().length, { timeout: 60_000 }).toBeGreaterThan(0)
  const back = await timed('back', () => printed(move('back')))
  expect(back.left).toEqual([])
  const again = await printed(move('back'))
  expect(again).toEqual(back)
  const sent = writers.sent.map(({ id }) => id)
  const { rows } = await sql<{ muid: string }>`
    select muid from entries where app_id = ${old.app.appId} and muid = any(${sent})`.execute(
    old.app.db,
  )
  const counted = Map.groupBy(rows, ({ muid }) => muid)
  expect([...counted.values()].filter((all) => all.length > 1)).toEqual([])
  expect(sent.filter((id) => !counted.has(id))).toEqual([])
  await expectSame(writers)
  const untouched = here.shown().filter(({ tag = '' }) => !writers.touched.has(tag))
  expect(untouched.length).toBeGreaterThan(0)
  expect(untouched.filter(({ count }) => count > 1)).toEqual([])
}

/** Older messages that were changed here say the same there. */
async function expectSame(writers: Writers): Promise<void> {
  const fromThere = clientOf(oldServer.origin, old.app.keys)
  const atHome = clientOf(freshServer.origin, fresh.app.keys)
  const shared = writers.changed.filter(({ id }) => !writers.sentAt.has(id))
  expect(shared.length).toBeGreaterThan(0)
  for (const { id } of shared) {
    const texts = await Promise.all(
      [fromThere, atHome].map(async (client) => {
        const { data } = await client.getMessage({ params: { id } })
        return [data.data.text, data.deletedAt !== undefined]
      }),
    )
    expect([id, texts[0]]).toEqual([id, texts[1]])
  }
}
