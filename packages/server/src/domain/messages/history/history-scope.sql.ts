import { bigints, texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { byPlace } from '../../../database/loader.ts'
import { type PreparedStatement, prepared, run } from '../../../database/prepared.ts'
import type { CallerVersions } from '../../../pipeline/caller.ts'
import type { EntryRow } from '../../log/entries/index.ts'
import { type GroupRow, groupColumnsText } from '../../views/index.ts'
import { entriesOf, entriesWhere } from './history-page.sql.ts'

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
  /** What was remembered of who looks still holds, where that was asked. */
  readonly current: boolean
  /** The last first, where they were asked for. */
  readonly newest: readonly EntryRow[] | undefined
}

/** Of which user or group, and who looks. */
export interface PlaceQuestion {
  readonly appId: string
  readonly of: string
  readonly viewer: string | undefined
  /** So many of the last entries are wanted, too. */
  readonly newest?: Newest | undefined
  /** Of a caller who was remembered. */
  readonly versions?: CallerVersions | undefined
}

export interface Newest {
  readonly limit: number
  /** Whose withheld messages are shown, too. */
  readonly own: string | undefined
}

type PlaceRow = Omit<HistoryPlace, 'newest'> & {
  readonly place: number
  readonly entries: string | null
}

/** The group is shown with every message of the page. */
export type GroupPlace = HistoryPlace & GroupRow

const position = `
  p.reset_seq as "resetSeq", p.read_seq as "readSeq", p.delivered_seq as "deliveredSeq"`
const asked = `
  unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
     with ordinality as w(app_id, of_id, viewer, most, own, app_version, viewer_version, place)`
const current = `
  (w.app_version is null or exists (
     select from apps a where a.app_id = w.app_id and a.row_version = w.app_version))
  and (w.viewer_version is null or exists (
     select from users v where v.app_id = w.app_id and v.uid = w.viewer
       and v.row_version = w.viewer_version)) as current`
/** Of the conversation in the table `t`, what the reader `p` may see. */
const newestIn = (t: string) =>
  entriesWhere(
    `e.bucket = ${t}.bucket and e.conversation_key = ${t}.conversation_key
         and e.seq > coalesce(p.reset_seq, 0)`,
    'desc',
  )

const groupPlaces = prepared<PlaceRow & GroupRow>(
  'group places',
  `select w.place, g.bucket, g.conversation_key as key, ${position},
          exists (select from group_bans b
                  where b.app_id = w.app_id and b.guid = w.of_id and b.uid = w.viewer) as banned,
          g.type = 'private' as "isPrivate", ${current}, page.entries, ${groupColumnsText}
   from ${asked}
   join groups g on g.app_id = w.app_id and g.guid = w.of_id
   join conversations c on c.bucket = g.bucket and c.conversation_key = g.conversation_key
   left join group_members m on m.app_id = g.app_id and m.guid = g.guid and m.uid = w.viewer
   left join participants p on p.bucket = g.bucket and p.conversation_key = g.conversation_key
     and p.uid = w.viewer
   cross join lateral (${newestIn('g')}) page`,
)

const userPlaces = prepared<PlaceRow>(
  'user places',
  `select w.place, c.bucket, c.conversation_key as key, ${position}, false as banned,
          false as "isPrivate", ${current}, page.entries
   from ${asked}
   join users u on u.app_id = w.app_id and u.uid = w.of_id and u.deactivated_at is null
   left join user_conversations c on c.app_id = w.app_id
     and c.low_uid = least(w.of_id collate "C", w.viewer)
     and c.high_uid = greatest(w.of_id collate "C", w.viewer)
   left join participants p on p.bucket = c.bucket and p.conversation_key = c.conversation_key
     and p.uid = w.viewer
   cross join lateral (${newestIn('c')}) page`,
)

/** What is not there has no such group, or user. */
export function findGroupPlaces(db: Db, questions: readonly PlaceQuestion[]) {
  return findPlaces(db, groupPlaces, questions)
}

export function findUserPlaces(db: Db, questions: readonly PlaceQuestion[]) {
  return findPlaces(db, userPlaces, questions)
}

async function findPlaces<Row extends PlaceRow>(
  db: Db,
  statement: PreparedStatement<Row>,
  questions: readonly PlaceQuestion[],
) {
  const rows = await run(db, statement, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ of }) => of)),
    texts(questions.map(({ viewer }) => viewer ?? null)),
    bigints(questions.map(({ newest }) => newest?.limit ?? 0)),
    texts(questions.map(({ newest }) => newest?.own ?? null)),
    bigints(questions.map(({ versions }) => versions?.app ?? null)),
    bigints(questions.map(({ versions }) => versions?.actor ?? null)),
  ])
  return byPlace(questions, rows).map((row, nth) => row && placeOf(row, questions[nth]?.newest))
}

function placeOf<Row extends PlaceRow>(row: Row, asked: Newest | undefined) {
  const { bucket, key, entries } = row
  const hasAny = entries !== null && bucket !== null && key !== null
  const newest = hasAny ? entriesOf({ bucket, key }, entries) : []
  return Object.assign(row, { newest: asked && newest })
}

export function placeName({ appId, of, viewer, newest, versions }: PlaceQuestion): string {
  const page = newest ? `${newest.limit} ${newest.own ?? ''}` : ''
  const remembered = versions ? `${versions.app} ${versions.actor ?? ''}` : ''
  return `${appId} ${of} ${viewer ?? ''} ${page} ${remembered}`
}
