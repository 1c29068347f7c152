import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { messageOf } from '../../../testing/src/data/log-entries.ts'
import { storedBatches } from '../../../testing/src/engines/event-streams.ts'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { type NatsServer, startNatsServer } from '../../../testing/src/engines/nats-server.ts'
import { cloneDatabase } from '../../../testing/src/engines/test-database.ts'
import { startTcpProxy } from '../../../testing/src/network/tcp-proxy.ts'
import { send } from '../../../testing/src/network/wire.ts'
import {
  choraleJson,
  type Serving,
  settingsFor,
  startServing,
} from '../../../testing/src/processes/program.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { connectBus } from '../bus/bus.ts'
import { openEventStream } from '../bus/event-stream.ts'
import { openDatabase } from '../database/pool.ts'
import { appendEntries } from '../domain/log/log.sql.ts'
import { insertConversation } from '../domain/log/participants/participants.sql.ts'
import { measureBacklog } from './backlog.ts'
import type { Batch } from './batches.ts'
import { openClearing } from './clearing.ts'
import { openPublisher } from './publish.ts'
import { openSweeper } from './sweeper.ts'

// Processes start, and rows must be some seconds old.
vi.setConfig({ testTimeout: 300_000 })

const wait = { timeout: 60_000, interval: 100 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const silent = pino({ level: 'silent' })

/** Of each conversation the seqs in the order of the stream. */
async function seqsIn(natsUrl: string, prefix: string): Promise<Map<number, number[]>> {
  const seqs = new Map<number, number[]>()
  for (const { events } of await storedBatches(natsUrl, prefix)) {
    for (const { name, payload } of events) {
      if (name !== 'entry.appended' || !('seq' in payload)) continue
      seqs.set(payload.key, [...(seqs.get(payload.key) ?? []), payload.seq])
    }
  }
  return seqs
}

const upTo = (n: number) => Array.from({ length: n }, (_, place) => place + 1)

test('a process that is killed between commit and publication loses nothing', async () => {
  const database = stack.use(await cloneDatabase())
  const settings = settingsFor(database.url)
  const prefix = settings.NATS_PREFIX ?? ''
  const { appId, apiKeys } = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    settings,
    ...['app', 'create', '--name', 'Test'],
  )
  const post = async ({ origin }: Serving, path: string, body: object) => {
    const headers = { appId, apikey: apiKeys.fullAccess, 'content-type': 'application/json' }
    const request = { method: 'POST', path: `/v3${path}`, headers, body: JSON.stringify(body) }
    const { status } = await send(origin, request)
    expect(status).toBe(200)
  }
  await using proxy = await startTcpProxy(inject('natsUrl'))
  await proxy.close()
  {
    await using dying = await startServing({ ...settings, NATS_URL: proxy.url }, '--parts', 'api')
    await post(dying, '/users', { uid: 'ann', name: 'Ann' })
    for (const n of upTo(5)) {
      const text = `message ${n}`
      const to = { receiver: 'ann', receiverType: 'user', category: 'message', type: 'text' }
      await post(dying, '/messages', { ...to, data: { text } })
    }
    dying.signal('SIGKILL')
    await dying.ended
  }
  expect(await storedBatches(inject('natsUrl'), prefix)).toEqual([])
  await using _other = await startServing(settings, '--parts', 'api')
  await expect
    .poll(async () => [...(await seqsIn(inject('natsUrl'), prefix)).values()], wait)
    .toEqual([upTo(5)])
  const created = async () =>
    (await storedBatches(inject('natsUrl'), prefix))
      .flatMap(({ events }) => events)
      .filter(({ name }) => name === 'user.created')
  await expect.poll(async () => (await created()).length, wait).toBe(1)
})

test('two processes that sweep share the work, and neither does the work of the other', async () => {
  const { db, appId, databaseUrl } = stack.use(await startTestApp({ shadow: false }))
  const place = { ...(await insertConversation({ appId, db }, 100)), appId }
  for (let n = 0; n < 150; n++) await appendEntries(db, [messageOf(place, 'ann')], 100)
  await sql`
    insert into outbox (event_id, app_id, name, payload, created_at)
    select gen_random_uuid(), ${appId}, 'user.updated', '{"uid":"ann"}', 100
    from generate_series(1, 300)`.execute(db)
  const before = await measureBacklog(db)
  const prefix = natsPrefix()
  const published: string[] = []
  const sweepers = new AsyncDisposableStack()
  for (let process = 0; process < 2; process++) {
    const database = sweepers.use(
      openDatabase({
        url: databaseUrl,
        poolSize: 2,
        statementTimeoutMs: 9000,
        onIdleError: () => undefined,
      }),
    )
    const bus = sweepers.use(connectBus(inject('natsUrl'), silent))
    const real = openEventStream(bus, { prefix, hours: 1, replicas: 1 })
    const stream = {
      ...real,
      publish: (batch: Batch) => {
        published.push(batch.id)
        return real.publish(batch)
      },
    }
    const clearing = sweepers.use(openClearing(database.db, silent))
    const publisher = sweepers.use(openPublisher(stream, clearing, silent))
    const clock = () => 1_000_000
    sweepers.use(openSweeper({ database, stream, publisher, clock, log: silent }))
  }
  await expect.poll(async () => (await measureBacklog(db)).oldestAt, wait).toBeUndefined()
  await sweepers.disposeAsync()
  expect(published).toHaveLength(before.receipts + before.events)
  expect(new Set(published).size).toBe(published.length)
  expect(await seqsIn(inject('natsUrl'), prefix)).toEqual(new Map([[place.key, upTo(150)]]))
})

test('rows of the last seconds are left to the process that wrote them', async () => {
  const NATS_PREFIX = natsPrefix()
  const now = Math.floor(Date.now() / 1000)
  const app = stack.use(
    await startTestApp({ shadow: false, clock: () => now, live: { settings: { NATS_PREFIX } } }),
  )
  const young = { ...(await insertConversation(app, 100)), appId: app.appId }
  const old = { ...(await insertConversation(app, 100)), appId: app.appId }
  await appendEntries(app.db, [messageOf(young, 'ann')], now - 4)
  await appendEntries(app.db, [messageOf(old, 'ann')], now - 5)
  await expect
    .poll(() => seqsIn(inject('natsUrl'), NATS_PREFIX), wait)
    .toEqual(new Map([[old.key, [1]]]))
  await expect.poll(async () => (await measureBacklog(app.db)).receipts, wait).toBe(1)
})

let nats: NatsServer
beforeAll(async () => {
  nats = stack.use(await startNatsServer())
})

test('NATS goes and comes back: no send fails, and every event arrives in order', async () => {
  const NATS_PREFIX = natsPrefix()
  const app = stack.use(
    await startTestApp({ shadow: false, live: { settings: { NATS_PREFIX, NATS_URL: nats.url } } }),
  )
  await app.given.users('ann', 'bob', 'cid')
  let sending = true
  let sent = 0
  const sender = async (receiver: string) => {
    while (sending) {
      const to = { receiver, receiverType: 'user', category: 'message', type: 'text' } as const
      await app.as('full').sendMessage({ onBehalfOf: 'ann', body: { ...to, data: { text: 'x' } } })
      sent++
    }
  }
  const senders = Promise.all(['bob', 'cid', 'bob', 'cid'].map(sender))
  const stored = async () => [...(await seqsIn(nats.url, NATS_PREFIX)).values()].flat().length
  await expect.poll(stored, wait).toBeGreaterThan(20)
  await nats.kill()
  const atKill = sent
  await expect.poll(() => sent, wait).toBeGreaterThan(atKill + 200)
  await nats.start()
  const atStart = sent
  await expect.poll(stored, wait).toBeGreaterThan(atStart)
  sending = false
  await senders
  await expect.poll(stored, wait).toBe(sent)
  const logs = [...(await seqsIn(nats.url, NATS_PREFIX)).values()]
  expect(logs).toHaveLength(2)
  for (const seqs of logs) expect(seqs).toEqual(upTo(seqs.length))
  await expect.poll(async () => (await measureBacklog(app.db)).oldestAt, wait).toBeUndefined()
})
