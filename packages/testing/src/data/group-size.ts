import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from '../../../server/src/database/db.ts'
import { openAppendBatcher } from '../../../server/src/domain/log/log.ts'
import type { TestApp } from '../service/test-app.ts'
import { medianOf, takingTurns } from '../taking-turns.ts'
import { messageOf } from './log-entries.ts'
import { loadGroups, settleEntries, withQuery } from './many-entries.ts'
import { type Crowded, crowdedGroup } from './prepared-plans.ts'

interface SendCost {
  /** Inserted, updated or deleted, over all tables. */
  readonly rows: number
  /** Records in PostgreSQL's log of changes. */
  readonly walRecords: number
  readonly milliseconds: number
}

/** What one send costs in a group of 10 and in one of this many members. */
export async function costOfGroupSize(
  app: TestApp,
  members: number,
  rounds: number,
): Promise<{ readonly small: SendCost; readonly large: SendCost }> {
  const { db, appId, databaseUrl } = app
  await withQuery(databaseUrl, async (query) => {
    await loadGroups(query, appId, { prefix: 'small', groups: 1, members: 10, entries: 100 })
    await loadGroups(query, appId, { prefix: 'large', groups: 1, members, entries: 100 })
    await settleEntries(query)
  })
  const small = await crowdedGroup(db, appId, 'small-1')
  const large = await crowdedGroup(db, appId, 'large-1')
  const batcher = openAppendBatcher(db, now)
  const times = await takingTurns(
    rounds,
    () => batcher.add(entryFor(small)),
    () => batcher.add(entryFor(large)),
  )
  const costIn = async (group: Crowded, milliseconds: readonly number[]) => ({
    rows: await rowsWritten(db, group),
    walRecords: await walRecords(databaseUrl, group),
    milliseconds: medianOf(milliseconds),
  })
  return { small: await costIn(small, times.one), large: await costIn(large, times.two) }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}

function entryFor({ appId, place, uid }: Crowded) {
  return messageOf({ ...place, appId }, uid)
}

/** Of this connection alone, so exact whatever else happens. */
async function rowsWritten(db: Db, group: Crowded): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const written = sql<{ n: number }>`
      select sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint as n from pg_stat_xact_user_tables`
    // What the connection did just before is in there too.
    const before = await written.execute(trx)
    await openAppendBatcher(trx, now).add(entryFor(group))
    const after = await written.execute(trx)
    return (after.rows[0]?.n ?? Number.NaN) - (before.rows[0]?.n ?? Number.NaN)
  })
}

/** Median of several: now and then a page is split or cleaned up on the way. */
async function walRecords(databaseUrl: string, group: Crowded): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const records: number[] = []
    for (let round = 0; round < 21; round++) {
      const { rows } = await client.query(
        `explain (analyze, wal, format json)
         select * from append_entries($1, $2, $3, '{1}', '{1}', '{0}', '{1}', '{1}', '{1}', '{1}', $4,
                                      $5, '{null}', '{message}', '{text}', '{"{}"}', '{null}',
                                      '{null}', '{true}')`,
        [now(), [group.place.bucket], [group.place.key], [group.appId], [group.uid]],
      )
      records.push(rows[0]['QUERY PLAN'][0].Plan['WAL Records'])
    }
    return medianOf(records)
  } finally {
    await client.end()
  }
}
