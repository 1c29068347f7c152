import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Listener } from '../../../server/src/outbox/listener.ts'
import { storedBatches } from '../engines/event-streams.ts'
import { faultsIn, type Logs, type View } from '../sends/verdict.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { allPublished, weather } from './storm.ts'

const wait = { timeout: 90_000, interval: 100 }

/**
 * NATS is killed under load, and is away for so long. Every message was taken, and has reached, in
 * order, devices, the stream and a listener. Returns how many there were.
 */
export async function sendWithoutNats(awayMs: number, people: number): Promise<number> {
  const handled: number[] = []
  await using fleet = await startFleet({ gateways: 2, apis: 1, workers: 1 }, [recorder(handled)])
  const { app, nats } = fleet
  const absence = {
    kill: nats.kill,
    async start() {
      await after(awayMs)
      await nats.start()
    },
  }
  const { acknowledged, logs, heard, failures, surprises } = await weather(fleet, {
    people,
    groups: people / 5,
    sendsPerSecond: 40,
    dropsPerSecond: 2,
    byDevices: 0,
    lastsMs: 0,
    messagesBetween: 40,
    mortals: [absence],
  })
  expect(failures).toEqual([])
  expect(surprises).toEqual([])
  const entries = [...logs.values()].flat()
  await vi.waitFor(() => expect(new Set(handled).size).toBe(entries.length), wait)
  await allPublished(app)
  const views = [
    ...heard,
    ...viewsOf(logs, 'a listener', handled),
    ...viewsOf(logs, 'the stream', await idsInStream(fleet)),
  ]
  expect(faultsIn(acknowledged, logs, views)).toEqual([])
  const messages = entries.filter(({ category }) => category === 'message').length
  await vi.waitFor(async () => expect(await countIndexed(fleet)).toBe(messages), wait)
  return messages
}

/** Keeps the ids of entries in the order in which it was handed them. */
function recorder(handled: number[]): Listener {
  return {
    name: 'recorder',
    on: {
      async 'entry.appended'({ payload }) {
        handled.push(payload.id)
        return undefined
      },
    },
  }
}

/** What passed one place, by conversation. */
function viewsOf(logs: Logs, reader: string, ids: readonly number[]): View[] {
  const conversationOf = new Map(
    [...logs].flatMap(([conversation, log]) => log.map(({ id }) => [id, conversation] as const)),
  )
  const passed = Map.groupBy(ids, (id) => conversationOf.get(id))
  return [...logs.keys()].map((conversation) => ({
    conversation,
    reader,
    ids: passed.get(conversation) ?? [],
  }))
}

async function idsInStream({ app, nats }: Fleet): Promise<number[]> {
  const batches = await storedBatches(nats.url, 'chorale')
  const events = batches.filter(({ appId }) => appId === app.appId).flatMap((one) => one.events)
  return events.flatMap(({ name, payload }) =>
    name === 'entry.appended' && 'id' in payload ? payload.id : [],
  )
}

/** By the listener of the workers that search relies on. */
async function countIndexed({ app }: Fleet): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from entry_words where app_id = ${app.appId}`.execute(app.db)
  return rows[0]?.count ?? 0
}
