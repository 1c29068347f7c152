import { sql } from 'kysely'
import { expect } from 'vitest'
import { countEvents } from '../../../server/src/domain/stats/index.ts'
import { deleteConsumers, waitingIn } from '../engines/event-streams.ts'
import { startMortalServer } from '../processes/mortal-server.ts'
import { settingsFor } from '../processes/program.ts'
import { type Random, seeded } from '../seeded.ts'
import type { TestApp } from '../service/test-app.ts'

const uids = Array.from({ length: 20 }, (_, n) => `u${n + 1}`)
const guids = ['g1', 'g2', 'g3']
const atOnce = 16
const listener = countEvents.name
/** Everything is read again, bundle by bundle: some hundred a second. */
const patience = { timeout: 900_000, interval: 250 }

export interface RecountOptions {
  readonly operations: number
  readonly kills: number
  readonly natsUrl: string
  readonly NATS_PREFIX: string
  readonly onProgress?: (line: string) => void
}

/**
 * Random sends and receipts, while the worker that counts them is killed again and again and
 * everything in the stream is delivered again from its start. In the end the points add up to what
 * the tables hold.
 */
export async function expectExactStats(app: TestApp, options: RecountOptions): Promise<void> {
  const { operations, kills, natsUrl, NATS_PREFIX, onProgress } = options
  await app.given.users(...uids)
  for (const guid of guids) await app.given.group(guid, { members: { participants: uids } })
  const settings = {
    ...settingsFor(app.databaseUrl),
    NATS_PREFIX,
    CHORALE_MASTER_KEY: app.masterKey,
  }
  await using worker = await startMortalServer(settings, '--parts', 'worker')
  const share = Math.ceil(operations / (kills + 1))
  for (let round = 0; round <= kills; round++) {
    await runOperations(app, seeded(`recount ${round}`), share)
    if (round === kills) break
    await worker.kill()
    await deleteConsumers(natsUrl, NATS_PREFIX, listener)
    await worker.start()
    onProgress?.(`killed ${round + 1} times, ${(round + 1) * share} operations`)
  }
  await expect.poll(() => counted(app), patience).toEqual(await recounted(app))
  onProgress?.('counted to the end; once more from the start')
  // Once more from the start, to the end: nothing is counted again.
  await worker.kill()
  await deleteConsumers(natsUrl, NATS_PREFIX, listener)
  await worker.start()
  await expect.poll(() => waitingIn(natsUrl, NATS_PREFIX, listener), patience).toBe(0)
  expect(await counted(app)).toEqual(await recounted(app))
}

async function runOperations(app: TestApp, random: Random, count: number): Promise<void> {
  let left = count
  const one = async () => {
    while (left-- > 0) await anOperation(app, random)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

async function anOperation({ as }: TestApp, random: Random): Promise<void> {
  const uid = random.pick(uids)
  const inGroup = random.chance(0.6)
  const guid = random.pick(guids)
  const other = random.pick(uids.filter((one) => one !== uid))
  const calls = as('full')
  const onBehalfOf = uid
  const what = random.weighted({ send: 5, read: 3, deliver: 2 })
  if (what === 'send') {
    const receiver = inGroup ? guid : other
    const receiverType = inGroup ? 'group' : 'user'
    const body = { receiver, receiverType, category: 'message', type: 'text' } as const
    await calls.sendMessage({ onBehalfOf, body: { ...body, data: { text: 'hello' } } })
  } else if (inGroup) {
    const input = { onBehalfOf, params: { guid }, body: {} }
    if (what === 'read') await calls.markGroupConversationRead(input)
    else await calls.markGroupConversationDelivered(input)
  } else {
    const input = { onBehalfOf, params: { uid: other }, body: {} }
    const mark =
      what === 'read' ? calls.markUserConversationRead : calls.markUserConversationDelivered
    await mark(input).catch((error) => expect(error.code).toBe('ERR_CONVERSATION_NOT_ACCESSIBLE'))
  }
}

type Sums = Readonly<Record<string, readonly number[]>>

/** Messages, deliveries and reads in points of each length. */
async function counted({ appId, db }: TestApp): Promise<Sums> {
  const { rows } = await sql<{ point: string; sums: number[] }>`
    select grain || ' ' || starts_at as point,
      array[sum(messages), sum(deliveries), sum(reads)]::int[] as sums
    from stats_points where app_id = ${appId} group by grain, starts_at`.execute(db)
  return Object.fromEntries(rows.map(({ point, sums }) => [point, sums]))
}

async function recounted({ appId, db }: TestApp): Promise<Sums> {
  const { rows } = await sql<{ point: string; sums: number[] }>`
    select grain || ' ' || at - at % grain as point, array[
      count(*) filter (where kind = 'sent'), count(*) filter (where kind = 'delivered'),
      count(*) filter (where kind = 'read')]::int[] as sums
    from unnest(array[300, 3600, 86400]) as grain cross join (
      select 'sent' as kind, sent_at as at from entries
      where app_id = ${appId} and category <> 'action'
      union all select kind, at from position_moves where app_id = ${appId}) f
    group by grain, at - at % grain`.execute(db)
  return Object.fromEntries(rows.map(({ point, sums }) => [point, sums]))
}
