import type { Event } from '@chorale/contract/events'
import { sql } from 'kysely'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { forgetEvents, storedBatches } from '../../../../testing/src/engines/event-streams.ts'
import { natsPrefix } from '../../../../testing/src/engines/nats-prefix.ts'
import { startTcpProxy } from '../../../../testing/src/network/tcp-proxy.ts'
import { errorOf, send } from '../../../../testing/src/network/wire.ts'
import { startTestApp } from '../../../../testing/src/service/test-app.ts'
import type { HeardEvent, Listener } from '../../outbox/listener.ts'

const heard: HeardEvent[] = []
const recorder: Listener = {
  name: 'recorder',
  on: {
    'user.created': async (event, { db }) => keep(db.appId, event),
    'entry.appended': async (event, { db }) => keep(db.appId, event),
  },
}

async function keep(appId: string, event: HeardEvent): Promise<undefined> {
  if (appId === app.appId) heard.push(event)
}

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const nats = stack.use(await startTcpProxy(inject('natsUrl')))
const NATS_PREFIX = natsPrefix()
const live = { listeners: [recorder], settings: { NATS_PREFIX, NATS_URL: nats.url } }
// What is published leaves the outbox, also of a shadow: here another app takes its place.
const app = stack.use(await startTestApp({ shadow: false, live }))
const full = app.as('full')
const wait = { timeout: 15_000 }

/** Page by page to the end, which is where the last page is empty. */
async function walk(after?: string, limit = 100, { listEvents } = full) {
  const events: Event[] = []
  for (let from = after; ; ) {
    const query = { limit, ...(from !== undefined && { after: from }) }
    const { data, meta } = await listEvents({ query })
    expect(data.length).toBeLessThanOrEqual(limit)
    events.push(...data)
    if (data.length === 0) return { events, end: meta.next.after }
    from = meta.next.after
  }
}

const typesIn = (events: readonly Event[]) => events.map(({ type }) => type)

describe('the feed of events', () => {
  test('has an event for each that listeners get, and none of another app', async () => {
    await app.given.users('ann', 'bob')
    const other = app.client(await app.anotherApp(), 'full')
    await other.createUser({ body: { uid: 'ann', name: 'Another Ann' } })
    const { id } = await app.given.message('ann', 'bob')
    const types = ['conversation.started', 'message.sent', 'user.created', 'user.created']
    await expect.poll(async () => typesIn((await walk()).events).toSorted(), wait).toEqual(types)
    await expect.poll(() => heard, wait).toHaveLength(3)
    await expect
      .poll(async () => typesIn((await walk(undefined, 9, other)).events), wait)
      .toEqual(['user.created'])
    const { events } = await walk()
    const ids = (of: readonly { readonly id: string }[]) => of.map((event) => event.id)
    expect(ids(events)).toEqual(expect.arrayContaining(ids(heard)))
    expect(events.find(({ type }) => type === 'message.sent')).toEqual({
      id: `message-${id}`,
      type: 'message.sent',
      at: expect.any(Number),
      actor: 'ann',
      conversationId: 'ann_user_bob',
      receiver: 'bob',
      receiverType: 'user',
      messageId: id,
      data: { message: { category: 'message', type: 'text', data: { text: 'hello' } } },
    })
  })

  test('is the same in pages of any size', async () => {
    const { end } = await walk()
    const body = { receiver: 'bob', receiverType: 'user', data: { text: 'at once' } } as const
    const sends = Array.from({ length: 40 }, () => full.sendMessage({ onBehalfOf: 'ann', body }))
    await Promise.all(sends)
    await expect.poll(async () => (await walk(end)).events.length, wait).toBe(sends.length)
    const batches = await storedBatches(inject('natsUrl'), NATS_PREFIX)
    // So that a page of one ends within a batch.
    expect(Math.max(...batches.map(({ events }) => events.length))).toBeGreaterThan(1)
    const { events } = await walk()
    // A page that NATS was too busy to fill is empty, as at the end.
    for (const limit of [1, 3, 7, 1000]) {
      const walked = async () => (await walk(undefined, limit)).events
      await expect.poll(walked, wait).toEqual(events)
    }
  })

  test('brings what was committed before and published late', async () => {
    const { end } = await walk()
    // As a process leaves it that dies after the commit.
    await sql`
      insert into outbox (event_id, app_id, name, payload, created_at)
      values ('00000000-0000-7000-8000-000000000001', ${app.appId}, 'user.updated',
              '{"uid":"ann"}', 100)`.execute(app.db)
    await expect
      .poll(async () => (await walk(end)).events, wait)
      .toEqual([{ id: expect.any(String), type: 'user.updated', at: 100, data: { uid: 'ann' } }])
  })

  test('H3: has no more than a megabyte or two in a page, however many events are asked for', async () => {
    const { end } = await walk()
    const payload = JSON.stringify({ uid: 'ann', padding: 'x'.repeat(400_000) })
    const ids = Array.from({ length: 16 }, (_, n) => `00000000-0000-7000-8000-0000000001${10 + n}`)
    await sql`
      insert into outbox (event_id, app_id, name, payload, created_at)
      select id::uuid, ${app.appId}, 'user.updated', ${payload}::jsonb, 100
      from unnest(${ids}::text[]) as id`.execute(app.db)
    await expect.poll(async () => (await walk(end)).events.length, wait).toBe(ids.length)
    const page = await full.listEvents({ query: { after: end, limit: 1000 } })
    expect(page.data.length).toBeGreaterThan(1)
    expect(JSON.stringify(page.data).length).toBeLessThan(2_500_000)
    const rest = async () => (await walk(page.meta.next.after, 1000)).events.length
    await expect.poll(rest, wait).toBe(ids.length - page.data.length)
  })

  test.each(['Infinity', '-Infinity', '1e300', 'NaN', '1001', '0', '0.5'])(
    'H3: refuses a limit of %s',
    async (limit) => {
      const headers = { appId: app.appId, apikey: app.keys.full }
      const path = `/v3/events?limit=${limit}`
      const answer = await send(app.origin, { path, headers })
      expect(errorOf(answer)).toMatchObject({
        code: 'ERR_BAD_REQUEST',
        details: { limit: [expect.any(String)] },
      })
    },
  )

  test('H3: refuses a place before the beginning', async () => {
    const { end } = await walk()
    const [stream, seq] = JSON.parse(Buffer.from(end, 'base64url').toString())
    for (const place of [
      [stream, seq, -5],
      [stream, -1, 0],
      [stream, 1e300, 0],
    ]) {
      const after = Buffer.from(JSON.stringify(place)).toString('base64url')
      await expect(full.listEvents({ query: { after } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        details: { after: [expect.any(String)] },
      })
    }
  })

  test('is read again where NATS was away', async () => {
    const { listEvents } = full
    await nats.close()
    await expect(listEvents()).rejects.toMatchObject({ code: 'ERR_MISSION_FAILED', status: 503 })
    await nats.open()
    await expect
      .poll(
        () =>
          listEvents().then(
            ({ data }) => data.length,
            () => 0,
          ),
        wait,
      )
      .toBeGreaterThan(0)
  })
})

describe('a cursor', () => {
  test('of someone who asks now and then stays good, however quiet the app is', async () => {
    const before = (await walk()).end
    const other = app.client(await app.anotherApp(), 'full')
    await other.createUser({ body: { uid: 'zed', name: 'Zed' } })
    const stored = async () => (await storedBatches(inject('natsUrl'), NATS_PREFIX)).at(-1)?.appId
    await expect.poll(stored, wait).not.toBe(app.appId)
    const now = await walk(before)
    expect(now.events).toEqual([])
    await forgetEvents(inject('natsUrl'), NATS_PREFIX)
    expect((await walk(now.end)).events).toEqual([])
    expect((await walk()).events).toEqual([])
    await expect(full.listEvents({ query: { after: before } })).rejects.toMatchObject({
      code: 'ERR_EVENTS_GONE',
      status: 410,
    })
  })

  test('of another stream is not taken for one of this', async () => {
    const [, seq, skip] = JSON.parse(Buffer.from((await walk()).end, 'base64url').toString())
    const after = Buffer.from(JSON.stringify(['another', seq, skip])).toString('base64url')
    await expect(full.listEvents({ query: { after } })).rejects.toMatchObject({
      code: 'ERR_EVENTS_GONE',
    })
  })

  test.each(['nonsense', Buffer.from('["a",1]').toString('base64url')])(
    'is not %s',
    async (after) => {
      await expect(full.listEvents({ query: { after } })).rejects.toMatchObject({
        code: 'ERR_BAD_REQUEST',
        details: { after: expect.any(Array) },
      })
    },
  )

  test('is of no use to a key for logins', async () => {
    await expect(app.as('auth').listEvents()).rejects.toMatchObject({ code: 'AUTH_ERR_NO_ACCESS' })
  })
})
