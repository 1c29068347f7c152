import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { messageOf } from '../../../testing/src/data/log-entries.ts'
import { type StoredBatch, storedBatches } from '../../../testing/src/engines/event-streams.ts'
import { natsPrefix } from '../../../testing/src/engines/nats-prefix.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'
import { connectBus } from '../bus/bus.ts'
import { openEventStream } from '../bus/event-stream.ts'
import { openAppendBatcher } from '../domain/log/log.ts'
import { insertConversation } from '../domain/log/participants/participants.sql.ts'
import { measureBacklog, readAppends } from './backlog.ts'
import { type Batch, batchesOf, batchOf } from './batches.ts'
import type { Append } from './committed.ts'
import { openPublisher } from './publish.ts'

const wait = { timeout: 15_000, interval: 50 }
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const natsUrl = inject('natsUrl')

const eventsIn = (batches: readonly StoredBatch[]) => batches.flatMap(({ events }) => events)

describe('what a call has committed', async () => {
  const NATS_PREFIX = natsPrefix()
  const app = stack.use(await startTestApp({ shadow: false, live: { settings: { NATS_PREFIX } } }))
  const { sendMessage, createUser, createGroup, editMessage, deleteMessage } = app.as('full')
  const stored = () => storedBatches(natsUrl, NATS_PREFIX)
  const named = async (name: string) => eventsIn(await stored()).filter((e) => e.name === name)

  test('is in the stream soon after, and its rows are gone soon after that', async () => {
    await createUser({ body: { uid: 'ann', name: 'Ann' } })
    await createUser({ body: { uid: 'bob', name: 'Bob' } })
    await expect
      .poll(() => named('user.created'), wait)
      .toEqual(
        ['ann', 'bob'].map((uid) => ({
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          name: 'user.created',
          at: expect.any(Number),
          payload: { uid },
        })),
      )
    await expect
      .poll(() => measureBacklog(app.db), wait)
      .toEqual({ receipts: 0, events: 0, oldestAt: undefined })
  })

  test('is one message of the stream for sends of the same moment', async () => {
    const text = (n: number) => `hello ${n}`
    const sent = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        sendMessage({
          onBehalfOf: 'ann',
          body: {
            receiver: 'bob',
            receiverType: 'user',
            category: 'message',
            type: 'text',
            data: { text: text(n) },
          },
        }),
      ),
    )
    await expect.poll(async () => (await named('entry.appended')).length, wait).toBe(60)
    const batches = (await stored()).filter(({ subject }) => subject.endsWith('.entry'))
    // How many are of the same moment depends on the machine.
    expect(batches.length).toBeLessThan(60)
    const entries = await named('entry.appended')
    const seqs = entries.map(({ payload }) => ('seq' in payload ? payload.seq : 0))
    expect(seqs).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
    const [first] = sent
    expect(entries).toContainEqual({
      id: expect.stringMatching(/^message-\d+$/),
      name: 'entry.appended',
      at: expect.any(Number),
      payload: expect.objectContaining({
        sender: 'ann',
        category: 'message',
        type: 'text',
        id: Number(first && 'id' in first.data ? first.data.id : 0),
        data: { text: text(0) },
      }),
    })
    await expect.poll(async () => (await measureBacklog(app.db)).receipts, wait).toBe(0)
  })

  test('includes entries that a larger change has appended', async () => {
    const before = (await named('entry.appended')).length
    await createGroup({ body: { guid: 'g', name: 'G', type: 'public' } })
    await app
      .as('full')
      .addMembers({ params: { guid: 'g' }, body: { participants: ['ann', 'bob'] } })
    await expect.poll(async () => (await named('entry.appended')).length, wait).toBe(before + 2)
  })

  test('tells of edited and deleted messages where they stand', async () => {
    const { data } = await sendMessage({
      onBehalfOf: 'ann',
      body: {
        receiver: 'bob',
        receiverType: 'user',
        category: 'message',
        type: 'text',
        data: { text: 'x' },
      },
    })
    const id = 'id' in data ? String(data.id) : ''
    await editMessage({ params: { id }, body: { data: { text: 'y' } } })
    await deleteMessage({ params: { id }, body: { permanent: false } })
    const { rows } = await sql`
      select bucket, conversation_key as key, seq, id, 'app_system' as uid from entries
      where id = ${id}`.execute(app.db)
    await expect
      .poll(async () => (await named('message.edited')).map(({ payload }) => payload), wait)
      .toEqual(rows)
    await expect
      .poll(async () => (await named('message.deleted')).map(({ payload }) => payload), wait)
      .toEqual(rows)
  })
})

test('what is committed in one moment is published together, in its order, and at the end', async () => {
  const published: Batch[] = []
  const cleared: (number | string)[] = []
  const publisher = openPublisher(
    {
      open: async () => undefined,
      publish: async (batch) => void published.push(batch),
    },
    {
      receipt: (id) => void cleared.push(id),
      event: (id) => void cleared.push(id),
      [Symbol.asyncDispose]: async () => undefined,
    },
    pino({ level: 'silent' }),
  )
  const append = (id: number) => ({
    events: [],
    appends: [{ receipt: id, entries: [{ ...entry, id, seq: id }] }],
  })
  const at = { bucket: entry.bucket, key: entry.key }
  for (const id of [1, 2]) publisher.onCommit(append(id))
  publisher.onCommit({
    appends: [],
    events: [
      { id: 'edit', appId: 'a', name: 'message.edited', at: 1, payload: { ...at, ...edit } },
    ],
  })
  publisher.onCommit(append(3))
  expect(published).toEqual([])
  await expect.poll(() => cleared, wait).toEqual([1, 2, 'edit', 3])
  const idsIn = ({ body }: Batch) =>
    (JSON.parse(body) as { events: { id: string }[] }).events.map(({ id }) => id)
  expect(published.map(idsIn)).toEqual([['message-1'], ['message-2'], ['edit'], ['message-3']])

  publisher.onCommit(append(4))
  await publisher[Symbol.asyncDispose]()
  expect(cleared).toEqual([1, 2, 'edit', 3, 4])
})

test('what waits to be published when a process falls behind is left to the sweeper', async () => {
  const published: string[] = []
  const answer = Promise.withResolvers<void>()
  const publisher = openPublisher(
    {
      open: async () => undefined,
      publish({ id }) {
        published.push(id)
        return answer.promise
      },
    },
    {
      receipt: () => undefined,
      event: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    },
    pino({ level: 'silent' }),
  )
  const commit = (id: string) =>
    publisher.onCommit({
      appends: [],
      events: [{ id, appId: 'a', name: 'user.updated', at: 1, payload: { uid: 'ann' } }],
    })
  commit('refused')
  await expect.poll(() => published, wait).toEqual(['refused'])
  commit('waiting')
  answer.reject(new Error('NATS is away.'))
  await expect.poll(() => publisher.behind, wait).toBe(true)
  await publisher[Symbol.asyncDispose]()
  expect(published).toEqual(['refused'])
})

const entry = {
  appId: 'a',
  bucket: 3,
  key: 7,
  at: 1,
  sender: 'ann',
  category: 'message',
  type: 'text',
  data: '{"text":"hello"}',
}
const edit = { seq: 1, id: 1, uid: 'ann' }

describe('batches', async () => {
  const { db, appId } = stack.use(await startTestApp({ shadow: false }))
  const place = async () => ({ ...(await insertConversation({ appId, db }, 100)), appId })

  /** A batch as the committing process knows it. */
  async function appendAll(data: readonly string[]): Promise<Append> {
    const appends: Append[] = []
    const batcher = openAppendBatcher(db, () => 200, {
      onCommit: (committed) => appends.push(...committed.appends),
    })
    const places = [await place(), await place(), await place()]
    await Promise.all(
      data.flatMap((text, n) =>
        places.map((at) =>
          batcher.add(messageOf(at, 'ann', { data: text, muid: `${n} "quoted"` })),
        ),
      ),
    )
    await batcher.idle()
    // Batchers commit side by side: one of them is enough here.
    const [append] = appends
    if (!append) throw new Error('Nothing was appended.')
    return append
  }

  test('made from memory and from the tables are the same, ids included', async () => {
    const append = await appendAll(['{"text":"a"}', '{"text":"b","n":[1,2]}'])
    const { items } = await readAppends(db, 200)
    const again = items.find(({ receipt }) => receipt === append.receipt)
    const parsed = (from: Append | undefined) =>
      batchesOf(from ?? { receipt: 0, entries: [] }).map(({ subject, id, body }) => ({
        subject,
        id,
        body: JSON.parse(body),
      }))
    expect(parsed(again)).toEqual(parsed(append))
    expect(parsed(append).length).toBeGreaterThan(0)
  })

  test('stay below the million bytes that NATS takes, and leave very large data at home', async () => {
    const large = JSON.stringify({ text: '€'.repeat(30_000) })
    const tooLarge = JSON.stringify({ text: '€'.repeat(100_000) })
    const append = await appendAll([large, large, large, large, large, tooLarge, large])
    const batches = batchesOf(append)
    for (const { body } of batches) expect(Buffer.byteLength(body)).toBeLessThan(1_000_000)
    const entries = batches.flatMap(({ body }) => JSON.parse(body).events)
    expect(entries).toHaveLength(append.entries.length)
    const without = entries.filter(({ payload }) => payload.data === undefined)
    expect(without).toHaveLength(append.entries.filter(({ data }) => data === tooLarge).length)
    expect(new Set(batches.map(({ id }) => id)).size).toBe(batches.length)
  })

  test('sent again are dropped by the stream', async () => {
    const prefix = natsPrefix()
    await using bus = connectBus(natsUrl, pino({ level: 'silent' }))
    const stream = openEventStream(bus, { prefix, hours: 1, replicas: 1 })
    await expect.poll(() => stream.open(), wait).toBeTruthy()
    const append = await appendAll(['{}'])
    const event = {
      id: crypto.randomUUID(),
      appId,
      name: 'user.created',
      at: 1,
      payload: { uid: 'ann' },
    } as const
    for (let time = 0; time < 2; time++) {
      for (const batch of batchesOf(append)) await stream.publish(batch)
      await stream.publish(batchOf(event))
    }
    expect(eventsIn(await storedBatches(natsUrl, prefix))).toHaveLength(append.entries.length + 1)
  })
})
