import { sql } from 'kysely'
import { expect } from 'vitest'
import { measureBacklog } from '../../../server/src/outbox/backlog.ts'
import { loadGroups, settleEntries, withQuery } from '../data/many-entries.ts'
import type { Query } from '../data/many-users.ts'
import { storedBatches } from '../engines/event-streams.ts'
import { natsPrefix } from '../engines/nats-prefix.ts'
import { startNatsServer } from '../engines/nats-server.ts'
import { startTestApp } from '../service/test-app.ts'

interface LeftBehind {
  readonly groups: number
  readonly entriesPerGroup: number
  readonly receipts: number
}

/** Of a batch of appends. */
const groupsPerReceipt = 4

/** Receipts of the newest entries of groups, as a process leaves them that dies before it publishes. */
export async function leaveReceipts(query: Query, appId: string, receipts: number): Promise<void> {
  await query(
    `insert into append_receipts (at, buckets, conversation_keys, first_seqs, last_seqs)
     select 1700000000, array_agg(bucket), array_agg(conversation_key), array_agg(head), array_agg(head)
     from (select c.*, row_number() over (order by conversation_key) - 1 as nth
           from conversations c where app_id = $1 and head > 0) as numbered
     where nth < $2::int * $3::int group by nth / $3::int order by nth / $3::int`,
    [appId, receipts, groupsPerReceipt],
  )
}

/** NATS comes back to a log of this size. Returns how long it took to publish what was left. */
export async function publishLeftBehind(wanted: LeftBehind): Promise<number> {
  const NATS_PREFIX = natsPrefix()
  await using nats = await startNatsServer()
  await nats.kill()
  await using app = await startTestApp({
    shadow: false,
    live: { settings: { NATS_URL: nats.url, NATS_PREFIX } },
  })
  await withQuery(app.databaseUrl, async (query) => {
    const { groups, entriesPerGroup: entries } = wanted
    await loadGroups(query, app.appId, { prefix: 'tea', groups, members: 2, entries })
    await settleEntries(query)
    await leaveReceipts(query, app.appId, wanted.receipts)
  })
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from append_receipts`.execute(app.db)
  expect(rows[0]?.n).toBeGreaterThanOrEqual(wanted.receipts)
  await nats.start()
  const startedAt = performance.now()
  const left = async () => (await measureBacklog(app.db)).receipts
  await expect.poll(left, { timeout: 300_000, interval: 250 }).toBe(0)
  const tookMs = performance.now() - startedAt
  const published = (await storedBatches(nats.url, NATS_PREFIX)).flatMap(({ events }) =>
    events.filter(({ name }) => name === 'entry.appended'),
  )
  expect(published).toHaveLength(wanted.receipts * groupsPerReceipt)
  return tookMs
}
