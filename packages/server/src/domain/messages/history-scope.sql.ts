import type { AppDb } from '../../database/app-db.ts'
import { hot, run } from '../../database/hot.ts'

/** A conversation and how far its reader is; nulls: it does not exist, or is not theirs. */
export interface HistoryPlace {
  readonly bucket: number | null
  readonly key: number | null
  readonly resetSeq: number | null
  readonly readSeq: number | null
  readonly deliveredSeq: number | null
  readonly banned: boolean
}

const position = `
  p.reset_seq as "resetSeq", p.read_seq as "readSeq", p.delivered_seq as "deliveredSeq"`

const groupPlace = hot<HistoryPlace>(
  'group place',
  `select g.bucket, g.conversation_key as key, ${position},
          exists (select from group_bans b
                  where b.app_id = $1 and b.guid = $2 and b.uid = $3) as banned
   from groups g
   left join participants p on p.bucket = g.bucket and p.conversation_key = g.conversation_key
     and p.uid = $3
   where g.app_id = $1 and g.guid = $2`,
)

/** Undefined: there is no such group. */
export async function findGroupPlace(
  { appId, db }: AppDb,
  guid: string,
  viewer: string | undefined,
): Promise<HistoryPlace | undefined> {
  const [place] = await run(db, groupPlace, [appId, guid, viewer ?? null])
  return place
}

const userPlace = hot<HistoryPlace>(
  'user place',
  `select c.bucket, c.conversation_key as key, ${position}, false as banned
   from users u
   left join user_conversations c on c.app_id = $1
     and c.low_uid = least($2::text, $3::text) and c.high_uid = greatest($2::text, $3::text)
   left join participants p on p.bucket = c.bucket and p.conversation_key = c.conversation_key
     and p.uid = $3
   where u.app_id = $1 and u.uid = $2 and u.deactivated_at is null`,
)

/** Undefined: there is no such user. */
export async function findUserPlace(
  { appId, db }: AppDb,
  uid: string,
  viewer: string,
): Promise<HistoryPlace | undefined> {
  const [place] = await run(db, userPlace, [appId, uid, viewer])
  return place
}
