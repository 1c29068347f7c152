import { sql } from 'kysely'
import { type AppDb, databaseMs, jsonb } from '../../database/app-db.ts'
import type { Db } from '../../database/db.ts'
import { defineQueue, dueAgain, type Job } from '../../jobs/queue.sql.ts'

export interface ErasureRow {
  readonly id: string
  readonly uid: string
  readonly pseudonym: string
  readonly status: 'running' | 'held' | 'done'
  readonly requestedAt: number
  readonly endedAt: number | null
  readonly eventsKeptUntil: number | null
  readonly reachedId: number
  /** The last event that listeners must have heard before tables are walked. */
  readonly eventsSeq: number | null
  /** Null while messages are walked. */
  readonly table: string | null
  readonly block: number
  readonly scanned: number
  readonly messages: number
  readonly mentions: number
  readonly reactions: number
  readonly rows: Readonly<Record<string, number>>
  readonly held: number
}

export interface UserErasureJob extends ErasureRow, Job {}

const columnsText = `
  j.erasure_id::text as id, j.uid, j.pseudonym, j.status, j.requested_at as "requestedAt",
  j.ended_at as "endedAt", j.events_kept_until as "eventsKeptUntil", j.reached_id as "reachedId",
  j.events_seq as "eventsSeq",
  j.at_table as "table", j.at_block as block, j.scanned, j.messages, j.mentions, j.reactions,
  j.rows_erased as rows, j.held`
const columns = sql.raw(columnsText)

export const userErasureQueue = defineQueue<UserErasureJob>({
  name: 'erasures of users',
  table: 'user_erasures',
  key: { app_id: 'appId', erasure_id: 'id' },
  open: `j.status <> 'done'`,
  columns: columnsText,
})

/** The one that is open already, where there is one. */
export async function insertErasure(
  { appId, db }: AppDb,
  { uid, pseudonym }: Pick<ErasureRow, 'uid' | 'pseudonym'>,
  now: number,
): Promise<ErasureRow> {
  await sql`
    insert into user_erasures (app_id, uid, pseudonym, status, requested_at, due_at)
    values (${appId}, ${uid}, ${pseudonym}, 'running', ${now}, ${databaseMs})
    on conflict (app_id, uid) where status <> 'done' do nothing`.execute(db)
  const { rows } = await sql<ErasureRow>`
    select ${columns} from user_erasures j
    where j.app_id = ${appId} and j.uid = ${uid} and j.status <> 'done'`.execute(db)
  const [row] = rows
  if (!row) throw new Error('An erasure was not inserted.')
  return row
}

export async function findErasure({ appId, db }: AppDb, id: string) {
  const { rows } = await sql<ErasureRow>`
    select ${columns} from user_erasures j
    where j.app_id = ${appId} and j.erasure_id = ${id}`.execute(db)
  return rows[0]
}

export async function listErasures({ appId, db }: AppDb, limit: number, page: number) {
  const { rows } = await sql<ErasureRow>`
    select ${columns} from user_erasures j where j.app_id = ${appId}
    order by j.erasure_id desc limit ${limit} offset ${(page - 1) * limit}`.execute(db)
  return rows
}

/** All that a step of the job may change. False: the lease is over, and somebody else has it. */
export async function recordErasure(
  db: Db,
  job: UserErasureJob,
  to: ErasureRow,
  pauseMs: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update user_erasures
    set status = ${to.status}, ended_at = ${to.endedAt}, events_kept_until = ${to.eventsKeptUntil},
        reached_id = ${to.reachedId}, events_seq = ${to.eventsSeq}, at_table = ${to.table}, at_block = ${to.block},
        scanned = ${to.scanned}, messages = ${to.messages}, mentions = ${to.mentions},
        reactions = ${to.reactions}, rows_erased = ${jsonb(to.rows)}, held = ${to.held},
        attempt = 0, ${dueAgain(pauseMs)}
    where ${userErasureQueue.held(job)}`.execute(db)
  return numAffectedRows === 1n
}
