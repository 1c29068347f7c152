import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { messageOf } from '../../../testing/src/data/log-entries.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { openDatabase } from '../database/pool.ts'
import { appendEntries } from '../domain/log/log.sql.ts'
import { insertConversation } from '../domain/log/participants/participants.sql.ts'
import { appRanges, measureBacklog, readEvents } from './backlog.ts'
import { type Clearing, openClearing } from './clearing.ts'
import type { Committed } from './committed.ts'
import { type BatchStream, openPublisher } from './publish.ts'
import { openSweeper } from './sweeper.ts'

const wait = { timeout: 30_000, interval: 20 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const log = pino({ level: 'silent' })
const { db, appId, databaseUrl } = stack.use(await startTestApp({ shadow: false }))
const counted = async () => (await measureBacklog(db)).events

async function leaveEvents(count: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into outbox (event_id, app_id, name, payload, created_at)
    select gen_random_uuid(), ${appId}, 'user.updated', '{"uid":"ann"}', 100
    from generate_series(1, ${count}) returning event_id as id`.execute(db)
  return rows.map(({ id }) => id)
}

test('what was published is cleared by the process that published it', async () => {
  const before = await counted()
  const ids = await leaveEvents(20)
  await using clearing = openClearing(db, log)
  for (const id of ids) clearing.event(id)
  await expect.poll(counted, wait).toBe(before)
})

test('events are read in the order of their ids', async () => {
  const ids = await leaveEvents(100)
  const pages = await Promise.all(
    Array.from({ length: appRanges }, (_, range) => readEvents(db, range, 100)),
  )
  const read = pages.flatMap(({ items }) => items.map(({ id }) => id))
  expect(read).toEqual(ids.toSorted())
  await sql`delete from outbox where created_at = 100`.execute(db)
})

test('receipts stay while what they are for cannot be published', async () => {
  const place = { ...(await insertConversation({ appId, db }, 100)), appId }
  await appendEntries(db, [messageOf(place, 'ann')], 100)
  const { receipts } = await measureBacklog(db)
  expect(receipts).toBeGreaterThan(0)
  let isFull = true
  let tried = 0
  const stream: BatchStream = {
    open: async () => undefined,
    async publish() {
      tried++
      if (isFull) throw new Error('The stream is full.')
    },
  }
  await using sweeping = new AsyncDisposableStack()
  const database = sweeping.use(
    openDatabase({
      url: databaseUrl,
      poolSize: 2,
      statementTimeoutMs: 9000,
      onIdleError: () => undefined,
    }),
  )
  const clearing = sweeping.use(openClearing(db, log))
  const publisher = sweeping.use(openPublisher(stream, clearing, log))
  sweeping.use(openSweeper({ database, stream, publisher, clock: () => 1000, log }))
  await expect.poll(() => tried, wait).toBeGreaterThan(2 * receipts)
  expect((await measureBacklog(db)).receipts).toBe(receipts)
  isFull = false
  await expect.poll(async () => (await measureBacklog(db)).receipts, wait).toBe(0)
})

test('what was kept when a process falls behind again is left to the sweeper', async () => {
  const published: string[] = []
  const answers: PromiseWithResolvers<void>[] = []
  const stream: BatchStream = {
    open: async () => undefined,
    publish({ id }) {
      published.push(id)
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      return answer.promise
    },
  }
  const clearing: Clearing = {
    receipt: () => undefined,
    event: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }
  const publisher = openPublisher(stream, clearing, log)
  const commit = (id: string): Committed => ({
    appends: [],
    events: [{ id, appId, name: 'user.updated', at: 1, payload: { uid: 'ann' } }],
  })
  publisher.onCommit(commit('slow'))
  publisher.onCommit(commit('refused'))
  await expect.poll(() => published, wait).toEqual(['slow', 'refused'])
  answers[1]?.reject(new Error('NATS is away.'))
  await expect.poll(() => publisher.behind, wait).toBe(true)
  publisher.hold()
  publisher.onCommit(commit('kept'))
  answers[0]?.reject(new Error('NATS is away.'))
  await publisher[Symbol.asyncDispose]()
  publisher.hold()
  publisher.onCommit(commit('new'))
  publisher.resume()
  // The sweeper has published what was kept, before it called again.
  expect(published).toEqual(['slow', 'refused', 'new'])
})

test('what is committed while a process catches up is published before it goes on', async () => {
  const [early = ''] = await leaveEvents(1)
  const published: string[] = []
  let late: string | undefined
  let isAway = true
  const stream: BatchStream = {
    open: async () => undefined,
    async publish({ id }) {
      if (isAway) throw new Error('NATS is away.')
      published.push(id)
      if (id.includes(early)) late ??= (await leaveEvents(1))[0]
    },
  }
  await using sweeping = new AsyncDisposableStack()
  const database = sweeping.use(
    openDatabase({
      url: databaseUrl,
      poolSize: 2,
      statementTimeoutMs: 9000,
      onIdleError: () => undefined,
    }),
  )
  const publisher = sweeping.use(openPublisher(stream, sweeping.use(openClearing(db, log)), log))
  publisher.onCommit({
    appends: [],
    events: [{ id: 'refused', appId, name: 'user.updated', at: 1, payload: { uid: 'ann' } }],
  })
  await expect.poll(() => publisher.behind, wait).toBe(true)
  isAway = false
  sweeping.use(openSweeper({ database, stream, publisher, clock: () => 1000, log }))
  await expect.poll(() => publisher.behind, wait).toBe(false)
  expect(published).toEqual([expect.stringContaining(early), expect.stringContaining(String(late))])
})
