import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, expect, inject, test } from 'vitest'
import { deleteConsumers, storedBatches } from '../../../testing/src/engines/event-streams.ts'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { send } from '../../../testing/src/network/wire.ts'
import { compileCache } from '../../../testing/src/processes/compile-cache.ts'
import { echoListener } from '../../../testing/src/processes/echo-listener.ts'
import { chorale, choraleJson, settingsFor } from '../../../testing/src/processes/program.ts'
import { startTestApp, type TestApp } from '../../../testing/src/service/test-app.ts'
import type { Listener } from '../outbox/listener.ts'

const wait = { timeout: 30_000, interval: 50 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const natsUrl = inject('natsUrl')

/** Hears of new users and of messages; `fails` says for which it throws. */
function recorder(name: string, fails: (what: string) => boolean) {
  const tried: string[] = []
  const handled: string[] = []
  const hear = (what: string) => {
    tried.push(what)
    if (fails(what)) throw new Error(`cannot handle ${what}`)
    handled.push(what)
  }
  const listener: Listener = {
    name,
    on: {
      async 'user.created'({ payload }) {
        return void hear(payload.uid)
      },
      async 'entry.appended'({ payload }) {
        return void hear(`${payload.data?.text}`)
      },
    },
  }
  return { listener, tried, handled }
}

async function startLive(listeners: readonly Listener[], settings: Record<string, string> = {}) {
  const NATS_PREFIX = natsPrefix()
  const live = { listeners, settings: { NATS_PREFIX, ...settings } }
  const app = stack.use(await startTestApp({ shadow: false, live }))
  return { app, NATS_PREFIX }
}

async function say({ as }: TestApp, receiver: string, text: string): Promise<void> {
  const to = { receiver, receiverType: 'user', category: 'message', type: 'text' } as const
  await as('full').sendMessage({ body: { ...to, data: { text } } })
}

const times = (n: number, what: string) => Array.from({ length: n }, () => what)

test('what fails is tried again; its own conversation waits for it, others do not', async () => {
  let broken = true
  const { listener, tried, handled } = recorder('slow', (what) => broken && what === 'ann 1')
  const { app } = await startLive([listener], { LISTENER_ATTEMPTS: '1000' })
  await app.given.users('ann', 'bob')
  for (const text of ['ann 1', 'ann 2', 'ann 3']) await say(app, 'ann', text)
  for (const text of ['bob 1', 'bob 2']) await say(app, 'bob', text)
  await expect.poll(() => handled, wait).toEqual(expect.arrayContaining(['bob 1', 'bob 2']))
  await expect.poll(() => tried.filter((what) => what === 'ann 1').length, wait).toBeGreaterThan(2)
  expect(handled.filter((what) => what.startsWith('ann '))).toEqual([])
  broken = false
  const annOnly = () => handled.filter((what) => what.startsWith('ann '))
  await expect.poll(annOnly, wait).toEqual(['ann 1', 'ann 2', 'ann 3'])
  expect(handled.filter((what) => what.startsWith('bob '))).toEqual(['bob 1', 'bob 2'])
  const usersOnly = () => handled.filter((what) => !what.includes(' '))
  await expect.poll(usersOnly, wait).toEqual(['ann', 'bob'])
})

test('an app that does not concern a listener is passed over, until it does', async () => {
  const { listener, handled } = recorder('choosy', () => false)
  const wanted = new Set<string>()
  let asked = 0
  const concerns: Listener['concerns'] = async (_, appIds) => {
    if (appIds.includes(app.appId)) asked++
    return wanted.intersection(new Set(appIds))
  }
  const { app } = await startLive([{ ...listener, concerns }])
  await app.given.users('ann')
  await expect.poll(() => asked, wait).toBeGreaterThan(0)
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from handled_events where listener = 'choosy'`.execute(app.db)
  expect(rows[0]?.n).toBe(0)
  wanted.add(app.appId)
  await app.given.users('bob')
  await expect.poll(() => handled, wait).toEqual(['bob'])
})

test('what cannot be handled becomes a dead letter, which can be handed in again', async () => {
  let broken = true
  const bad = recorder('bad', (what) => broken && what === 'ann')
  const good = recorder('good', () => false)
  const { app, NATS_PREFIX } = await startLive([bad.listener, good.listener], {
    LISTENER_ATTEMPTS: '3',
  })
  await app.given.users('ann', 'bob')
  // What comes behind it is held up no longer than the attempts take.
  await expect.poll(() => bad.handled, wait).toEqual(['bob'])
  expect(bad.tried).toEqual([...times(3, 'ann'), 'bob'])
  const settings = {
    ...settingsFor(app.databaseUrl),
    NATS_PREFIX,
    CHORALE_MASTER_KEY: app.masterKey,
  }
  type Letters = { number: number; event: { id: string } }[]
  const letters = await choraleJson<Letters>(settings, 'dead-letters', 'list')
  expect(letters).toEqual([
    {
      number: expect.any(Number),
      listener: 'bad',
      subject: expect.stringMatching(/^\w+\.\d\.user$/),
      appId: app.appId,
      event: expect.objectContaining({ name: 'user.created', payload: { uid: 'ann' } }),
      error: 'cannot handle ann',
      at: expect.any(Number),
    },
  ])
  broken = false
  const number = String(letters[0]?.number)
  expect(await choraleJson(settings, 'dead-letters', 'replay', number)).toEqual({ replayed: 1 })
  await expect.poll(() => bad.handled, wait).toEqual(['bob', 'ann'])
  await app.given.users('cid')
  await expect.poll(() => good.handled, wait).toEqual(['ann', 'bob', 'cid'])
  expect(await choraleJson(settings, 'dead-letters', 'list')).toEqual([])
  const again = await chorale(settings, 'dead-letters', 'replay', number)
  expect([again.code, again.stderr]).toEqual([1, `There is no dead letter ${number}.\n`])
  // It starts four processes, one after the other.
}, 180_000)

async function workerThatDies(
  { databaseUrl }: TestApp,
  NATS_PREFIX: string,
  moment: 'before' | 'after',
): Promise<void> {
  const path = fileURLToPath(
    new URL('../../../testing/src/processes/dying-worker.ts', import.meta.url),
  )
  const child = spawn(process.execPath, [path, moment], {
    env: {
      PATH: process.env.PATH,
      ...compileCache,
      DATABASE_URL: databaseUrl,
      NATS_URL: natsUrl,
      NATS_PREFIX,
    },
    stdio: 'inherit',
  })
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
}

test('what a worker had in hand when it died is handled before anything newer', async () => {
  const { app, NATS_PREFIX } = await startLive([])
  await app.given.users('ann')
  await workerThatDies(app, NATS_PREFIX, 'before')
  await app.given.users('bob', 'cid')
  const { listener, handled } = recorder('echo', () => false)
  app.startWorker([listener])
  await expect.poll(() => handled, wait).toHaveLength(3)
  expect(handled).toEqual(['ann', 'bob', 'cid'])
})

test('of several that it had in hand, none loses its place', async () => {
  const { app, NATS_PREFIX } = await startLive([])
  const uids = ['ann', 'bob', 'cid', 'dan']
  await app.given.users(...uids)
  await workerThatDies(app, NATS_PREFIX, 'before')
  // NATS has given up on the dead before anybody else comes.
  const diedAt = performance.now()
  await expect.poll(() => performance.now() - diedAt, wait).toBeGreaterThan(11_000)
  const { listener, handled } = recorder('echo', () => false)
  app.startWorker([listener])
  await expect.poll(() => handled, wait).toHaveLength(uids.length)
  expect(handled).toEqual(uids)
})

test('a worker that dies between commit and acknowledgement has not handled it twice', async () => {
  const { app, NATS_PREFIX } = await startLive([])
  await app.given.users('ann')
  await workerThatDies(app, NATS_PREFIX, 'after')
  // Otherwise NATS would wait for the dead.
  await deleteConsumers(natsUrl, NATS_PREFIX)
  app.startWorker([echoListener])
  const metrics = async () => (await send(app.operationsOrigin, { path: '/metrics' })).text
  const taken = 'chorale_listener_events_total{listener="echo",outcome="handled"} 1'
  await expect.poll(metrics, wait).toContain(taken)
  const updated = async () =>
    (await storedBatches(natsUrl, NATS_PREFIX))
      .flatMap(({ events }) => events)
      .filter(({ name }) => name === 'user.updated')
  // The dead process had committed this, and a sweeper has published it.
  await expect.poll(async () => (await updated()).length, wait).toBe(1)
  await expect.poll(metrics, wait).toContain('chorale_outbox_waiting{kind="event"} 0')
  expect(await updated()).toHaveLength(1)
  expect(await metrics()).toContain('chorale_outbox_lag_seconds 0')
})

test('reliability 3: attempts count failures of the event; while the database cannot work, it waits', async () => {
  let tried = 0
  const handled: string[] = []
  const listener: Listener = {
    name: 'patient',
    on: {
      async 'user.created'({ payload }, { db: { db } }) {
        // What PostgreSQL says with a full disk, and as a standby.
        const says = { 1: '53100', 2: '53100', 3: '25006', 4: '57P03', 5: '53300' }[++tried]
        if (says) {
          const raise = `do $$ begin raise exception using errcode = '${says}'; end $$`
          await sql.raw(raise).execute(db)
        }
        handled.push(payload.uid)
      },
    },
  }
  const { app, NATS_PREFIX } = await startLive([listener], { LISTENER_ATTEMPTS: '2' })
  await app.given.users('ann')
  await expect.poll(() => handled, wait).toEqual(['ann'])
  expect(tried).toBe(6)
  const settings = {
    ...settingsFor(app.databaseUrl),
    NATS_PREFIX,
    CHORALE_MASTER_KEY: app.masterKey,
  }
  expect(await choraleJson(settings, 'dead-letters', 'list')).toEqual([])
})
