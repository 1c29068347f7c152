import type { EventName, Events } from '@chorale/contract/events'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AppDb } from '../database/app-db.ts'
import type { Append, Committed, RecordedEvent } from './committed.ts'

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
