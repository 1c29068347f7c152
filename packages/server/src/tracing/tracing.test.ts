import { writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { drawTrace } from '../../../../tools/trace-picture.ts'
import { openCollector } from '../../../testing/src/network/otlp-collector.ts'
import { openReceiver } from '../../../testing/src/network/receiver.ts'
import { send } from '../../../testing/src/network/wire.ts'
import { startPushFixture } from '../../../testing/src/notifications/push-fixture.ts'
import { notifyUsers } from '../domain/notifications/index.ts'
import { notifyWebhooks } from '../domain/webhooks/index.ts'

vi.setConfig({ testTimeout: 120_000 })
const wait = { timeout: 60_000, interval: 50 }

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const collector = stack.use(await openCollector())
const receiver = stack.use(await openReceiver())
const fixture = stack.use(
  await startPushFixture({
    settings: {
      EGRESS_HTTP: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      // Only what a caller traces.
      OTEL_TRACES_SAMPLER_ARG: '0',
    },
  }),
)
const { app, full } = fixture
app.startWorker([notifyUsers, notifyWebhooks])
await app.given.users('ann', 'bob')
await app.given.message('ann', 'bob')
await fixture.useGoogle('google')
const phone = await fixture.android('bob')
// The provider's access token is fetched for this push; the traced ones have the push itself to show.
await app.given.message('ann', 'bob', { data: { text: 'not traced yet' } })
await vi.waitUntil(() => fixture.shown(phone).length > 0, wait)
const params = { appId: app.appId, webhookId: 'traced' }
const headers = { 'X-Webhook-Version': 2 } as const
const webhook = { id: 'traced', name: 'traced', webhookURL: receiver.url }
await full.createWebhook({ params: { appId: app.appId }, headers, body: webhook })
await full.addWebhookTriggers({ params, headers, body: { triggerIds: ['message_sent'] } })

const idOf = (n: number, digits: number) => n.toString(16).padStart(digits, '0')
const caller = idOf(7, 16)

async function say(n: number) {
  const traceparent = `00-${idOf(n, 32)}-${caller}-01`
  const { status, headers } = await send(app.origin, {
    method: 'POST',
    path: '/v3/messages',
    headers: { appId: app.appId, apikey: app.keys.full, onBehalfOf: 'ann', traceparent },
    body: JSON.stringify({
      receiver: 'bob',
      receiverType: 'user',
      type: 'text',
      data: { text: `traced ${n}` },
    }),
  })
  expect(status).toBe(200)
  return headers
}
const spansOf = (n: number) => collector.spans.filter(({ traceId }) => traceId === idOf(n, 32))

test('one trace shows a message from its POST to the push and the webhook delivery', async () => {
  const answered = await say(1)
  const host = (url: string) => new URL(url).host
  const toReceiver = `POST ${host(receiver.url)}`
  const toGoogle = `POST ${host(fixture.google.server.origin)}`
  const tree = () => {
    const spans = spansOf(1)
    const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
    return spans.map(({ name, parentSpanId = '' }) => `${names.get(parentSpanId)} > ${name}`)
  }
  const expected = [
    'undefined > sendMessage',
    'sendMessage > append message',
    'append message > commit batch',
    'commit batch > publish to NATS',
    'append message > listener notify-people',
    'listener notify-people > job of pushes',
    `job of pushes > ${toGoogle}`,
    'append message > listener notify-webhooks',
    'listener notify-webhooks > job of webhook deliveries',
    `job of webhook deliveries > ${toReceiver}`,
  ]
  await expect.poll(() => [...new Set(tree())].sort(), wait).toEqual(expected.sort())
  const find = (wanted: string) => spansOf(1).find(({ name }) => name === wanted)
  expect(find('sendMessage')?.parentSpanId).toBe(caller)
  expect(answered.traceparent).toBe(`00-${idOf(1, 32)}-${find('sendMessage')?.spanId}-01`)
  const { traceId, spanId } = find('append message') ?? {}
  expect(find('commit batch')?.links).toEqual([{ traceId, spanId }])
  const heard = receiver.received.at(-1)?.headers.traceparent
  expect(heard).toBe(`00-${idOf(1, 32)}-${find(toReceiver)?.spanId}-01`)
  expect(fixture.shown(phone).map(({ body }) => body)).toContain('traced 1')
  if (process.env.TRACE_PICTURE) {
    const file = new URL('../../../../docs/pictures/trace.svg', import.meta.url)
    writeFileSync(file, drawTrace(spansOf(1)))
  }
})

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(app.db)
  return rows[0]?.n ?? 0
}

test('a batch is linked to the spans of all its messages, each in the trace of its caller', async () => {
  const callers = Array.from({ length: 40 }, (_, n) => n + 100)
  // The first append waits for its conversation, so those behind it go together.
  const said = await app.db.transaction().execute(async (db) => {
    await sql`select from conversations for update`.execute(db)
    const [first = 0, ...others] = callers
    const one = say(first)
    await expect.poll(() => waitingForLocks(), wait).toBeGreaterThan(0)
    const rest = others.map(say)
    await full.getUser({ params: { uid: 'ann' } })
    return [one, ...rest]
  })
  await Promise.all(said)
  const appends = () => callers.flatMap(spansOf).filter(({ name }) => name === 'append message')
  await expect.poll(() => appends().length, wait).toBe(callers.length)
  const batches = () => callers.flatMap(spansOf).filter(({ name }) => name === 'commit batch')
  const linked = () => batches().flatMap(({ links }) => links.map(({ spanId }) => spanId))
  await expect
    .poll(() => linked().sort(), wait)
    .toEqual(
      appends()
        .map(({ spanId }) => spanId)
        .sort(),
    )
  expect(batches().length).toBeLessThan(callers.length)
  for (const { parentSpanId, links } of batches()) expect(parentSpanId).toBe(links[0]?.spanId)
})

test('a call that its caller does not record leaves no span', async () => {
  const before = collector.spans.length
  await app.given.message('ann', 'bob', { data: { text: 'not traced' } })
  await expect
    .poll(() => fixture.shown(phone).map(({ body }) => body), wait)
    .toContain('not traced')
  await say(2)
  await expect.poll(() => spansOf(2).length, wait).toBe(10)
  const known = new Set([...Array(40).keys()].map((n) => idOf(n + 100, 32)))
  const others = collector.spans.slice(before).filter(({ traceId }) => !known.has(traceId))
  expect(new Set(others.map(({ traceId }) => traceId))).toEqual(new Set([idOf(2, 32)]))
})
