import { texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { byPlace } from '../../../database/loader.ts'
import { prepared, run } from '../../../database/prepared.ts'

/** A conversation and how far its reader is; nulls: it does not exist, or is not theirs. */
export interface HistoryPlace {
  readonly bucket: number | null
  readonly key: number | null
  readonly resetSeq: number | null
  readonly readSeq: number | null
  readonly deliveredSeq: number | null
  readonly banned: boolean
  /** A private group, which does not exist for those who are not in it. */
  readonly isPrivate: boolean
}

/** Of which user or group, and who looks. */
export interface PlaceQuestion {
  readonly appId: string
  readonly of: string
  readonly viewer: string | undefined
}

const position = `
  p.reset_seq as "resetSeq", p.read_seq as "readSeq", p.delivered_seq as "deliveredSeq"`
const asked = `
  unnest($1::text[], $2::text[], $3::text[]) with ordinality as w(app_id, of_id, viewer, place)`

const groupPlaces = prepared<HistoryPlace & { place: number }>(
  'group places',
  `select w.place, g.bucket, g.conversation_key as key, ${position},
          exists (select from group_bans b
                  where b.app_id = w.app_id and b.guid = w.of_id and b.uid = w.viewer) as banned,
          g.type = 'private' as "isPrivate"
   from ${asked}
   join groups g on g.app_id = w.app_id and g.guid = w.of_id
   left join participants p on p.bucket = g.bucket and p.conversation_key = g.conversation_key
     and p.uid = w.viewer`,
)

const userPlaces = prepared<HistoryPlace & { place: number }>(
  'user places',
  `select w.place, c.bucket, c.conversation_key as key, ${position}, false as banned,
          false as "isPrivate"
   from ${asked}
   join users u on u.app_id = w.app_id and u.uid = w.of_id and u.deactivated_at is null
   left join user_conversations c on c.app_id = w.app_id
     and c.low_uid = least(w.of_id collate "C", w.viewer)
     and c.high_uid = greatest(w.of_id collate "C", w.viewer)
   left join participants p on p.bucket = c.bucket and p.conversation_key = c.conversation_key
     and p.uid = w.viewer`,
)

/** What is not there has no such group, or user. */
export function findGroupPlaces(db: Db, questions: readonly PlaceQuestion[]) {
  return findPlaces(db, groupPlaces, questions)
}

export function findUserPlaces(db: Db, questions: readonly PlaceQuestion[]) {
  return findPlaces(db, userPlaces, questions)
}

async function findPlaces(
  db: Db,
  statement: typeof userPlaces,
  questions: readonly PlaceQuestion[],
): Promise<(HistoryPlace | undefined)[]> {
  const rows = await run(db, statement, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ of }) => of)),
    texts(questions.map(({ viewer }) => viewer ?? null)),
  ])
  return byPlace(questions, rows)
}

export function placeName({ appId, of, viewer }: PlaceQuestion): string {
  return `${appId} ${of} ${viewer ?? ''}`
}
