import type { EventName, Events } from '@chorale/contract/events'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AppDb } from '../database/app-db.ts'

/** Events of one transaction: rows like any other, so they exist exactly when the change does. */
export interface Outbox {
  append<N extends EventName>(name: N, payload: Events[N]): Promise<void>
}

export function openOutbox({ appId, db }: AppDb, now: number): Outbox {
  return {
    async append(name, payload) {
      await sql`
        insert into outbox (event_id, app_id, name, payload, created_at)
        values (${uuidv7()}, ${appId}, ${name}, ${JSON.stringify(payload)}::jsonb, ${now})
      `.execute(db)
    },
  }
}
