import { bigints, bools, texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { byPlace } from '../../../database/loader.ts'
import { type PreparedStatement, prepared, run } from '../../../database/prepared.ts'
import type { CallerVersions } from '../../../pipeline/caller.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import type { EntryRow } from '../../log/entries/index.ts'
import { type GroupRow, groupColumnsText } from '../../views/index.ts'
import { type PlainPage, plainPageOf } from '../../views/plain-pages/index.ts'
import { entriesOf, entriesWhere } from './history-page.sql.ts'
import type { NewestPages } from './newest-pages.ts'

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
  /** The last first. Undefined: see `plain`, or they were not asked for, or not everybody sees the same. */
  readonly newest: readonly EntryRow[] | undefined
  /** The newest, if there are some and all are as they were sent. */
  readonly plain: PlainPage | undefined
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
  /** Messages of theirs may be withheld from others. */
  readonly withheldToo: boolean
}

type PlaceRow = Omit<HistoryPlace, 'newest' | 'plain'> & {
  readonly place: number
  /** Of the conversation and all its entries; null: there is none. */
  readonly version: string | null
  /** Null: there are none, or those of this version are known. */
  readonly entries: string | null
  readonly hasWithheld: boolean | null
}

/** The group is shown with every message of the page. */
export type GroupPlace = HistoryPlace & GroupRow

const position = `
  p.reset_seq as "resetSeq", p.read_seq as "readSeq", p.delivered_seq as "deliveredSeq"`
const asked = `
  unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::boolean[], $6::text[], $7::bigint[],
         $8::bigint[])
     with ordinality as w(app_id, of_id, viewer, most, withheld_too, known, app_version,
                          viewer_version, place)`
const current = `
  (w.app_version is null or exists (
     select from apps a where a.app_id = w.app_id and a.row_version = w.app_version))
  and (w.viewer_version is null or exists (
     select from users v where v.app_id = w.app_id and v.uid = w.viewer
       and v.row_version = w.viewer_version)) as current`
const versionColumns = ['conversation_key', 'head', 'change', 'last_at', 'xmin']
/**
 * Of the conversation in the table `t`: an entry that is appended moves its head, one that changes its
 * count of changes. The rest differs where a failover has lost the last of them, and others came instead.
 */
const versionOf = (t: string) =>
  `(${versionColumns.map((column) => `${t}.${column}`).join(" || ' ' || ")})`
/** All that somebody of the conversation may see, whoever looks. */
const newestIn = (t: string) =>
  entriesWhere(
    `e.bucket = ${t}.bucket and e.conversation_key = ${t}.conversation_key
         and ${versionOf(t)} is distinct from w.known
         and (not e.erased or (w.withheld_too and e.verdict ? 'sealed'))`,
    'desc',
  )

const groupPlaces = prepared<PlaceRow & GroupRow>(
  'group places',
  `select w.place, g.bucket, g.conversation_key as key, ${position},
          exists (select from group_bans b
                  where b.app_id = w.app_id and b.guid = w.of_id and b.uid = w.viewer) as banned,
          g.type = 'private' as "isPrivate", ${current}, ${versionOf('c')} as version,
          page.*, ${groupColumnsText}
   from ${asked}
   join groups g on g.app_id = w.app_id and g.guid = w.of_id
   join conversations c on c.bucket = g.bucket and c.conversation_key = g.conversation_key
   left join group_members m on m.app_id = g.app_id and m.guid = g.guid and m.uid = w.viewer
   left join participants p on p.bucket = g.bucket and p.conversation_key = g.conversation_key
     and p.uid = w.viewer
   cross join lateral (${newestIn('c')}) page`,
)

const userPlaces = prepared<PlaceRow>(
  'user places',
  `select w.place, c.bucket, c.conversation_key as key, ${position}, false as banned,
          false as "isPrivate", ${current}, ${versionOf('c')} as version, page.*
   from ${asked}
   join users u on u.app_id = w.app_id and u.uid = w.of_id and u.deactivated_at is null
   left join user_conversations uc on uc.app_id = w.app_id
     and uc.low_uid = least(w.of_id collate "C", w.viewer)
     and uc.high_uid = greatest(w.of_id collate "C", w.viewer)
   left join conversations c on c.bucket = uc.bucket and c.conversation_key = uc.conversation_key
   left join participants p on p.bucket = c.bucket and p.conversation_key = c.conversation_key
     and p.uid = w.viewer
   cross join lateral (${newestIn('c')}) page`,
)

/** What is not there has no such group, or user. */
export function findGroupPlaces(db: Db, questions: readonly PlaceQuestion[], pages: NewestPages) {
  return findPlaces(db, groupPlaces, questions, pages, ({ of }) => ({ kind: 'group', guid: of }))
}

export function findUserPlaces(db: Db, questions: readonly PlaceQuestion[], pages: NewestPages) {
  return findPlaces(db, userPlaces, questions, pages, ({ of, viewer = '' }) => ({
    kind: 'user',
    uids: [of, viewer],
  }))
}

async function findPlaces<Row extends PlaceRow>(
  db: Db,
  statement: PreparedStatement<Row>,
  questions: readonly PlaceQuestion[],
  pages: NewestPages,
  receiverOf: (question: PlaceQuestion) => Receiver,
) {
  const nameOf = (question: PlaceQuestion, { limit, withheldToo }: Newest) =>
    `${conversationName(receiverOf(question))} ${limit} ${withheldToo}`
  const known = questions.map((question) => {
    const { appId, newest } = question
    return newest && pages.get(appId, nameOf(question, newest))
  })
  const rows = await run(db, statement, [
    texts(questions.map(({ appId }) => appId)),
    texts(questions.map(({ of }) => of)),
    texts(questions.map(({ viewer }) => viewer ?? null)),
    bigints(questions.map(({ newest }) => newest?.limit ?? 0)),
    bools(questions.map(({ newest }) => newest?.withheldToo ?? false)),
    texts(known.map((page) => page?.version ?? null)),
    bigints(questions.map(({ versions }) => versions?.app ?? null)),
    bigints(questions.map(({ versions }) => versions?.actor ?? null)),
  ])
  return byPlace(questions, rows).map((row, nth) => {
    const question = questions[nth]
    if (!row || !question?.newest || row.version === null) return row && withPage(row, undefined)
    const { version, hasWithheld } = row
    const { appId } = question
    const name = nameOf(question, question.newest)
    const page = known[nth]
    if (page?.version !== version) {
      const entries = hasWithheld ? undefined : (row.entries ?? '')
      pages.set(appId, name, { version, entries })
      return withPage(row, rowsOf(row, entries))
    }
    const newest = rowsOf(row, page.entries)
    if (!newest || page.isMixed) return withPage(row, newest, page.plain)
    // Printed when it is read again: of a page that is read once it would be in vain.
    const plain = plainPageOf(appId, newest.toReversed(), receiverOf(question))
    pages.set(appId, name, plain ? { version, plain } : { ...page, isMixed: true })
    return withPage(row, newest, plain)
  })
}

function withPage<Row extends PlaceRow>(
  row: Row,
  newest: readonly EntryRow[] | undefined,
  plain?: PlainPage,
) {
  return Object.assign(row, { newest, plain })
}

function conversationName(receiver: Receiver): string {
  return receiver.kind === 'group' ? receiver.guid : receiver.uids.toSorted().join(' ')
}

function rowsOf({ bucket, key }: PlaceRow, entries: string | undefined) {
  const isThere = bucket !== null && key !== null && entries !== undefined
  return isThere ? entriesOf({ bucket, key }, entries) : undefined
}

export function placeName({ appId, of, viewer, newest, versions }: PlaceQuestion): string {
  const page = newest ? `${newest.limit} ${newest.withheldToo}` : ''
  const remembered = versions ? `${versions.app} ${versions.actor ?? ''}` : ''
  return `${appId} ${of} ${viewer ?? ''} ${page} ${remembered}`
}
