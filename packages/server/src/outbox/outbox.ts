import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AppDb } from '../database/app-db.ts'
import type { Db } from '../database/db.ts'
import type { Append, Committed, RecordedEvent } from './committed.ts'
import type { EventName, Events } from './events.ts'

/** An entry has its receipt instead of a row of its own. */
type RecordedName = Exclude<EventName, 'entry.appended'>

/** Events of one transaction: rows like any other, so they exist exactly when the change does. */
export interface Outbox {
  append<N extends RecordedName>(name: N, payload: Events[N]): Promise<void>
  /** The receipt is written already; this remembers it until the commit. */
  appended(append: Append): void
}

export interface OpenOutbox extends Outbox {
  /** To be told once the transaction is committed. */
  readonly recorded: Committed
}

export function openOutbox({ appId, db }: AppDb, now: number): OpenOutbox {
  const events: RecordedEvent[] = []
  const appends: Append[] = []
  return {
    recorded: { events, appends },
    async append(name, payload) {
      const id = uuidv7()
      await sql`
        insert into outbox (event_id, app_id, name, payload, created_at)
        values (${id}, ${appId}, ${name}, ${JSON.stringify(payload)}::jsonb, ${now})
      `.execute(db)
      events.push({ id, appId, name, at: now, payload })
    },
    appended(append) {
      appends.push(append)
    },
  }
}

interface NewEvent<N extends RecordedName = RecordedName> {
  readonly appId: string
  readonly name: N
  readonly payload: Events[N]
}

/** Many events of any apps in one statement, inside the transaction of their change. */
export async function recordEvents(
  db: Db,
  now: number,
  fresh: readonly NewEvent[],
): Promise<RecordedEvent[]> {
  if (fresh.length === 0) return []
  const events = fresh.map((event) => ({ ...event, id: uuidv7(), at: now }))
  await sql`
    insert into outbox (event_id, app_id, name, payload, created_at)
    select w.id, w.app_id, w.name, w.payload::jsonb, ${now}
    from unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ appId }) => appId)}::text[],
                ${events.map(({ name }) => name)}::text[],
                ${events.map(({ payload }) => JSON.stringify(payload))}::text[])
      as w(id, app_id, name, payload)`.execute(db)
  return events
}
