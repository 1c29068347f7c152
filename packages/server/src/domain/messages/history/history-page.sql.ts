import { bigints, smallints, texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { prepared, run } from '../../../database/prepared.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { EntryRow, Verdict } from '../../log/entries/index.ts'
import type { Bounds, Span } from './history.sql.ts'

/** A page of one conversation with nothing to sort out. */
export interface PageQuestion extends ConversationKey, Bounds {
  readonly appId: string
  readonly direction: Span['direction']
  readonly limit: number
  /** Whose withheld messages are shown, too. */
  readonly own: string | undefined
}

/** Stands in no field: they are numbers, ids of users, what is `unbroken`, and JSON, which escapes it. */
const separator = '\u001f'
const fieldsOfEntry = 9

/** What few entries have. */
type Rest = Pick<EntryRow, 'extra' | 'editedAt' | 'deletedAt'> & {
  readonly verdict: Verdict | null
  /** Null: it is as it was sent. */
  readonly updatedAt: number | null
}

const untouched: Rest = {
  extra: null,
  updatedAt: null,
  editedAt: null,
  deletedAt: null,
  verdict: null,
}

/** In SQL: any text. To print all of them as JSON strings would take a tenth of the page's time. */
function unbroken(text: string): string {
  return `case when strpos(${text}, E'${separator}') > 0 then to_json(${text})::text
               else '=' || ${text} end`
}

/**
 * The entries of a page as one text: a column of thirty rows costs the driver more than the row. The
 * data stands last, because what is put together from the left is copied with every step.
 */
const entryText = [
  'e.seq',
  'e.id',
  'e.sender',
  'e.category',
  unbroken('e.type'),
  `coalesce(${unbroken('e.muid')}, '')`,
  'e.sent_at',
  `case when coalesce(e.updated_at, e.edited_at, e.deleted_at) is null
             and e.extra is null and e.verdict is null then ''
        else json_build_object('extra', e.extra, 'updatedAt', e.updated_at, 'editedAt', e.edited_at,
                               'deletedAt', e.deleted_at, 'verdict', e.verdict)::text end`,
  'e.data',
].join(` || E'${separator}' || `)

interface PageRow {
  readonly place: number
  /** Null: there are none. */
  readonly entries: string | null
}

const seenByOwn = "(not e.erased or (e.sender = w.own and e.verdict ? 'sealed'))"
const back = prepared<PageRow>('history, back', statement('desc'))
const forth = prepared<PageRow>('history, forth', statement('asc'))

function statement(order: 'asc' | 'desc'): string {
  const place = 'e.bucket = w.bucket and e.conversation_key = w.key'
  return `select w.place, page.entries
   from unnest($1::text[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
               $7::text[])
     with ordinality as w(app_id, bucket, key, after, before, most, own, place)
   cross join lateral (
     ${entriesWhere(`${place} and e.seq > w.after and e.seq < w.before and ${seenByOwn}`, order)}) page`
}

/** In SQL: a page as `entriesOf` reads it. Needs the table `w` with app_id and most. */
export function entriesWhere(condition: string, order: 'asc' | 'desc'): string {
  return `select string_agg(${entryText}, E'${separator}') as entries,
            bool_or(e.erased) as "hasWithheld"
     from (
       select e.* from entries e
       where ${condition} and e.app_id = w.app_id
       order by e.seq ${order} limit w.most) e`
}

/** Pages that are requested at the same moment are read in one statement. */
export async function findPages(
  db: Db,
  questions: readonly PageQuestion[],
): Promise<(readonly EntryRow[])[]> {
  const found = new Map<PageQuestion, EntryRow[]>()
  for (const [direction, statement] of [
    ['append', forth],
    ['prepend', back],
  ] as const) {
    const asked = questions.filter((question) => question.direction === direction)
    if (asked.length === 0) continue
    const rows = await run(db, statement, [
      texts(asked.map(({ appId }) => appId)),
      smallints(asked.map(({ bucket }) => bucket)),
      bigints(asked.map(({ key }) => key)),
      bigints(asked.map(({ after }) => after)),
      bigints(asked.map(({ before }) => before)),
      bigints(asked.map(({ limit }) => limit)),
      texts(asked.map(({ own }) => own ?? null)),
    ])
    for (const { place, entries } of rows) {
      const question = asked[place - 1]
      if (question && entries !== null) found.set(question, entriesOf(question, entries))
    }
  }
  return questions.map((question) => found.get(question) ?? [])
}

/** The entries of a page, in its order. */
export function entriesOf({ bucket, key }: ConversationKey, page: string): EntryRow[] {
  if (page === '') return []
  const fields = page.split(separator)
  const entries: EntryRow[] = []
  for (let at = 0; at < fields.length; at += fieldsOfEntry) {
    // By index: a slice with destructuring costs twice as much.
    const field = (nth: number) => fields[at + nth] ?? ''
    const muid = field(5)
    const sentAt = Number(field(6))
    const rest = field(7)
    const { extra, updatedAt, editedAt, deletedAt, verdict } = rest ? parseRest(rest) : untouched
    entries.push({
      bucket,
      key,
      seq: Number(field(0)),
      id: Number(field(1)),
      sender: field(2),
      category: field(3),
      type: whole(field(4)),
      muid: muid === '' ? null : whole(muid),
      data: field(8),
      extra,
      sentAt,
      updatedAt: updatedAt ?? sentAt,
      editedAt,
      deletedAt,
      verdict,
    })
  }
  return entries
}

function parseRest(text: string): Rest {
  // As the statement has built it.
  return JSON.parse(text) as Rest
}

/** What `unbroken` has written. */
function whole(text: string): string {
  return text.startsWith('=') ? text.slice(1) : String(JSON.parse(text))
}

export function pageName({ key, after, before, direction, limit, own }: PageQuestion): string {
  return `${key} ${after} ${before} ${direction} ${limit} ${own ?? ''}`
}
