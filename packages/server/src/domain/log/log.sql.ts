import { sql } from 'kysely'
import type { AppDb } from '../../database/app-db.ts'
import { bigints, bools, ints, smallints, texts } from '../../database/arrays.ts'
import type { Db } from '../../database/db.ts'
import { type PreparedStatement, prepared, run } from '../../database/prepared.ts'
import type { Profiles } from '../../outbox/committed.ts'
import type { TraceContext } from '../../tracing/trace-context.ts'
import type { ConversationKey, EntryRow } from './entries/entries.ts'

/** An entry before it has its place. */
export interface NewEntry extends ConversationKey {
  readonly appId: string
  readonly sender: string
  readonly muid?: string | undefined
  readonly category: string
  readonly type: string
  /** JSON text. */
  readonly data: string
  /** JSON text of what stands beside the data. */
  readonly extra?: string | undefined
  readonly parentSeq?: number | undefined
  /** Raises unread counts. */
  readonly counts: boolean
  /** Becomes the last message that lists show. */
  readonly shows: boolean
  /** JSON text, where a rule has caught it. */
  readonly verdict?: string | undefined
  /** It is hidden until a classifier has answered. */
  readonly awaitsClassifier?: true | undefined
  /** Files stand in `extra`, or in that of the verdict. */
  readonly namesFiles?: true | undefined
  /** By how many the participants grow with it. */
  readonly joins?: number | undefined
  /** What must still hold for it to be appended; undefined: nothing was remembered. */
  readonly expected?: Expected | undefined
  /** Its own span, where the call is traced. */
  readonly trace?: TraceContext | undefined
  /** Those whom it shows, for gateways, with what the append has seen of them. */
  readonly people?: { published(seen: Seen | undefined): Profiles | undefined } | undefined
}

/** What was remembered when an append was decided on: docs/versions.md. */
export interface Expected {
  readonly appVersion: number
  /** Undefined: no user sends. */
  readonly senderVersion: number | undefined
  readonly receiver?: { readonly uid: string; readonly version: number }
  readonly group?: {
    readonly guid: string
    readonly version: number
    /** Of the sender; undefined: they need not be a member. */
    readonly membership: { readonly scope: string; readonly joinedAt: number } | undefined
  }
}

export interface Placed {
  readonly seq: number
  readonly id: number
  readonly counted: number
  readonly at: number
  /** The row that says this batch is still to be published; none for an entry found by its muid. */
  readonly receipt?: number | undefined
  /** Of an entry with `expected`: what changes too often to be remembered. */
  readonly seen?: Seen | undefined
}

/** Stored now, or found: the same `muid` of the same sender is one entry, however often it comes. */
export interface Appended extends Placed {
  readonly repeated: boolean
}

export interface Seen {
  readonly sender: SeenPresence
  readonly receiver: SeenPresence
  /** Of a group. */
  readonly membersCount: number | null
}

interface SeenPresence {
  readonly online: boolean | null
  readonly lastActiveAt: number | null
}

/** Rows that another module inserts in the statement that appends; a batch without any pays nothing. */
export interface AppendAddition {
  /** Names it within the statement. */
  readonly name: string
  /** An entry without this field has no such row. */
  readonly field: 'parentSeq' | 'awaitsClassifier' | 'namesFiles'
  /** The queue whose jobs the rows are. */
  readonly queue?: { readonly name: string }
  /** Selects from `appended`: bucket, key, seq, id, app_id, sender, parent_seq, verdict, extra, nth. */
  readonly insert: string
}

const callAt = (at: string) => `append_entries(${at}, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
  $13, $14, $15, $16, $17, $18, $19, $20)`

/** The usual batch: nothing to check, no rows of others. */
const append = prepared<Placed>(
  'append',
  `select seq, id, counted, at, receipt from ${callAt('$1')}`,
)

type SeenRow = Placed & {
  readonly senderOnline: boolean | null
  readonly senderActiveAt: number | null
  readonly receiverOnline: boolean | null
  readonly receiverActiveAt: number | null
  readonly membersCount: number | null
}

const current = 'require_current($1, $11, $12, $21, $22, $23, $24, $25, $26, $27, $28)'

const seenColumns = `, s.online as "senderOnline", s.last_active_at as "senderActiveAt",
  r.online as "receiverOnline", r.last_active_at as "receiverActiveAt",
  c.participants_count as "membersCount"`

const seenJoins = `
  join unnest($23::text[], $25::text[]) with ordinality as w(receiver, guid, nth) using (nth)
  left join presence s on s.app_id = a.app_id and s.uid = a.sender
  left join presence r on r.app_id = a.app_id and r.uid = w.receiver
  left join conversations c on w.guid is not null
    and c.bucket = a.bucket and c.conversation_key = a.key`

const appends = new Map<string, PreparedStatement<SeenRow>>()

/** Checks what was remembered, where anything was, and inserts the rows of others. */
function appendWith(additions: readonly AppendAddition[], checks: boolean) {
  const parts = ['append', ...(checks ? ['checked'] : []), ...additions.map((one) => one.name)]
  const name = parts.join(' ')
  const known = appends.get(name) ?? prepareAppend(name, additions, checks)
  appends.set(name, known)
  return known
}

function prepareAppend(name: string, additions: readonly AppendAddition[], checks: boolean) {
  const inserts = additions.map((one) => `, ${one.name} as (${one.insert})`)
  return prepared<SeenRow>(
    name,
    `with appended as materialized (
       select ($2::smallint[])[e.conversation] as bucket, ($3::bigint[])[e.conversation] as key,
              a.seq, a.id, a.counted, a.at, a.receipt, e.app_id, e.sender, e.parent_seq,
              e.verdict::jsonb as verdict, e.extra::jsonb as extra, nth
       from ${callAt(checks ? current : '$1')} with ordinality
         as a(seq, id, counted, at, receipt, nth)
       join unnest($8::int[], $11::text[], $12::text[], $18::bigint[], $20::text[], $17::text[])
         with ordinality as e(conversation, app_id, sender, parent_seq, verdict, extra, nth)
         using (nth))
     ${inserts.join('\n')}
     select a.seq, a.id, a.counted, a.at, a.receipt ${checks ? seenColumns : ''}
     from appended a ${checks ? seenJoins : ''} order by nth`,
  )
}

/** A message that comes by itself, as at an ordinary load: half of the cost of a batch of one. */
const appendAlone = prepared<SeenRow>(
  'append alone',
  `select seq, id, counted, at, receipt, sender_online as "senderOnline",
     sender_active_at as "senderActiveAt", receiver_online as "receiverOnline",
     receiver_active_at as "receiverActiveAt",
     case when $17::text is not null then members_count end as "membersCount"
   from append_entry($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
     $18, $19, $20)`,
)

/** Nothing but a row of the log, its head and its receipt are written for it. */
function isPlain(entry: NewEntry): boolean {
  const { parentSeq, verdict, awaitsClassifier, namesFiles, joins = 0 } = entry
  const isAlone = parentSeq === undefined && !namesFiles && joins === 0
  return isAlone && verdict === undefined && !awaitsClassifier
}

async function appendEntry(db: Db, entry: NewEntry, now: number): Promise<Placed> {
  const { bucket, key, appId, sender, muid, category, type, data, extra, counts, shows } = entry
  const { expected } = entry
  const { receiver, group } = expected ?? {}
  const [row] = await run(db, appendAlone, [
    now,
    bucket,
    key,
    appId,
    sender,
    muid ?? null,
    category,
    type,
    data,
    extra ?? null,
    counts,
    shows,
    expected?.appVersion ?? null,
    expected?.senderVersion ?? null,
    receiver?.uid ?? null,
    receiver?.version ?? null,
    group?.guid ?? null,
    group?.version ?? null,
    group?.membership?.scope ?? null,
    group?.membership?.joinedAt ?? null,
  ])
  if (!row) throw new Error('An append has no result.')
  const placed = withSeen(row)
  return expected ? placed : { ...placed, seen: undefined }
}

/** Appends in one statement, all or nothing; results in the order of the entries. */
export async function appendEntries(
  db: Db,
  entries: readonly NewEntry[],
  now: number,
  additions: readonly AppendAddition[] = [],
): Promise<Placed[]> {
  const [first] = entries
  if (first && entries.length === 1 && isPlain(first)) return [await appendEntry(db, first, now)]
  const needed = additionsTo(entries, additions)
  const parameters = [now, ...appendArguments(entries)]
  if (entries.some(({ expected }) => expected)) {
    const all = [...parameters, ...expectedArguments(entries)]
    return (await run(db, appendWith(needed, true), all)).map(withSeen)
  }
  return run(db, needed.length > 0 ? appendWith(needed, false) : append, parameters)
}

function withSeen(row: SeenRow): Placed {
  const { seq, id, counted, at, receipt, membersCount } = row
  const seen = {
    sender: { online: row.senderOnline, lastActiveAt: row.senderActiveAt },
    receiver: { online: row.receiverOnline, lastActiveAt: row.receiverActiveAt },
    membersCount,
  }
  return { seq, id, counted, at, receipt, seen }
}

function expectedArguments(entries: readonly NewEntry[]): Buffer[] {
  const all = entries.map(({ expected }) => expected)
  return [
    bigints(all.map((one) => one?.appVersion ?? null)),
    bigints(all.map((one) => one?.senderVersion ?? null)),
    texts(all.map((one) => one?.receiver?.uid ?? null)),
    bigints(all.map((one) => one?.receiver?.version ?? null)),
    texts(all.map((one) => one?.group?.guid ?? null)),
    bigints(all.map((one) => one?.group?.version ?? null)),
    texts(all.map((one) => one?.group?.membership?.scope ?? null)),
    bigints(all.map((one) => one?.group?.membership?.joinedAt ?? null)),
  ]
}

/** Those that have rows in a batch of these. */
export function additionsTo(
  entries: readonly NewEntry[],
  additions: readonly AppendAddition[],
): AppendAddition[] {
  return additions.filter(({ field }) => entries.some((entry) => entry[field] !== undefined))
}

interface Growth extends ConversationKey {
  entries: number
  counted: number
  joins: number
  shown: number | null
  /** Among the conversations of the batch, counted from 1. */
  place: number
}

/** The columns of a batch: first its conversations in key order, then its entries. */
function appendArguments(entries: readonly NewEntry[]): (Buffer | null)[] {
  const growths = new Map<string, Growth>()
  const placed = entries.map((entry) => {
    const { bucket, key, joins = 0 } = entry
    const name = `${bucket}/${key}`
    const growth = growths.get(name) ?? {
      bucket,
      key,
      entries: 0,
      counted: 0,
      joins: 0,
      shown: null,
      place: 0,
    }
    growths.set(name, growth)
    growth.entries++
    growth.joins += joins
    if (entry.counts) growth.counted++
    if (entry.shows) growth.shown = growth.entries
    return { entry, growth, nth: growth.entries, nthCounted: growth.counted }
  })
  const inOrder = [...growths.values()].sort((a, b) => a.bucket - b.bucket || a.key - b.key)
  for (const [place, growth] of inOrder.entries()) growth.place = place + 1
  return [
    smallints(inOrder.map(({ bucket }) => bucket)),
    bigints(inOrder.map(({ key }) => key)),
    bigints(inOrder.map((growth) => growth.entries)),
    bigints(inOrder.map(({ counted }) => counted)),
    bigints(inOrder.map(({ joins }) => joins)),
    bigints(inOrder.map(({ shown }) => shown)),
    ints(placed.map(({ growth }) => growth.place)),
    bigints(placed.map(({ nth }) => nth)),
    bigints(placed.map(({ nthCounted }) => nthCounted)),
    texts(entries.map(({ appId }) => appId)),
    texts(entries.map(({ sender }) => sender)),
    texts(entries.map(({ muid }) => muid ?? null)),
    texts(entries.map(({ category }) => category)),
    texts(entries.map(({ type }) => type)),
    texts(entries.map(({ data }) => data)),
    texts(entries.map(({ extra }) => extra ?? null)),
    bigints(entries.map(({ parentSeq }) => parentSeq ?? null)),
    bools(entries.map(({ counts }) => counts)),
    // Hardly ever: no batch pays for it that has none.
    entries.some(({ verdict }) => verdict !== undefined)
      ? texts(entries.map(({ verdict }) => verdict ?? null))
      : null,
  ]
}

/** The stored entry of a place. */
export async function findEntry(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  seq: number,
): Promise<EntryRow | undefined> {
  const { rows } = await sql<EntryRow>`
    select ${entryColumns} from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.seq = ${seq}
      and e.app_id = ${appId}`.execute(db)
  return rows[0]
}

/** Needs the table `e`. */
export const entryColumns = sql.raw(`
  e.bucket, e.conversation_key as key, e.seq, e.id, e.sender, e.category, e.type, e.muid,
  e.data::text as data, e.extra, e.sent_at as "sentAt",
  coalesce(e.updated_at, e.sent_at) as "updatedAt", e.edited_at as "editedAt",
  e.deleted_at as "deletedAt", e.verdict`)

export interface Muid extends ConversationKey {
  readonly sender: string
  readonly muid: string
}

/** Of these, the entries that are stored already, by `muidName`. */
export async function findByMuid(db: Db, wanted: readonly Muid[]): Promise<Map<string, Placed>> {
  const { rows } = await sql<Muid & Placed>`
    select * from find_muids(${wanted.map(({ bucket }) => bucket)}::smallint[],
                             ${wanted.map(({ key }) => key)}::bigint[],
                             ${wanted.map(({ sender }) => sender)}::text[],
                             ${wanted.map(({ muid }) => muid)}::text[])`.execute(db)
  return new Map(
    rows.map((row) => [
      muidName(row),
      { seq: row.seq, id: row.id, counted: row.counted, at: row.at },
    ]),
  )
}

export function muidName({ bucket, key, sender, muid }: Muid): string {
  return `${bucket}/${key}/${sender}/${muid}`
}
