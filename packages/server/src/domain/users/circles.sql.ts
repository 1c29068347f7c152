import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'

export interface CircleRow {
  readonly friends: string[]
  readonly blocked: string[]
}

/** A user's friends, and whom they have blocked or are blocked by. */
export async function findCircle({ appId, db }: AppDb, uid: string): Promise<CircleRow> {
  const { rows } = await sql<CircleRow>`
    select array(select friend_uid from friends
                 where app_id = ${appId} and uid = ${uid}) as friends,
           array(select blocked_uid from blocked_users
                 where app_id = ${appId} and uid = ${uid}
                 union select uid from blocked_users
                 where app_id = ${appId} and blocked_uid = ${uid}) as blocked`.execute(db)
  return rows[0] ?? { friends: [], blocked: [] }
}
