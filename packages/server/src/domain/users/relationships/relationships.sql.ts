import type { Db } from '../../../database/db.ts'
import { byPlace } from '../../../database/loader.ts'
import { prepared, run } from '../../../database/prepared.ts'

export interface RelationshipsQuestion {
  readonly appId: string
  readonly uid: string
}

export interface RelationshipsRow {
  readonly friends: string[]
  readonly blocked: string[]
}

const relationships = prepared<RelationshipsRow & { place: number }>(
  'relationships',
  `select w.place,
          array(select f.friend_uid from friends f
                where f.app_id = w.app_id and f.uid = w.uid) as friends,
          array(select b.blocked_uid from blocked_users b
                where b.app_id = w.app_id and b.uid = w.uid
                union select b.uid from blocked_users b
                where b.app_id = w.app_id and b.blocked_uid = w.uid) as blocked
   from unnest($1::text[], $2::text[]) with ordinality as w(app_id, uid, place)`,
)

/** The friends of each, and whom they have blocked or are blocked by. */
export async function findRelationships(
  db: Db,
  wanted: readonly RelationshipsQuestion[],
): Promise<(RelationshipsRow | undefined)[]> {
  const rows = await run(db, relationships, [
    wanted.map(({ appId }) => appId),
    wanted.map(({ uid }) => uid),
  ])
  return byPlace(wanted, rows)
}
