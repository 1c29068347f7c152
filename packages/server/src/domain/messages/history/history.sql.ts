import { type RawBuilder, sql } from 'kysely'
import { type AppDb, allOf } from '../../../database/app-db.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import type { Entry, EntryRow } from '../../log/entries/index.ts'
import type { PlainPage } from '../../views/plain-pages/index.ts'
import { asFound, type FoundRow, foundColumns, sides } from '../stored/messages.sql.ts'

/** Whose entries are looked at. */
export type Scope =
  | (ConversationKey & {
      readonly kind: 'conversation'
      readonly receiver: Receiver
      /** Only behind this seq. */
      readonly hiddenTo: number
      /** Only replies to this one. */
      readonly parentSeq?: number
      /** Of the page that is wanted; undefined: they were not asked for with the place. */
      readonly newest?: readonly EntryRow[] | undefined
      /** The same, if all of them are as they were sent. */
      readonly plain?: PlainPage | undefined
    })
  /** All conversations that the user is in now; only what was not read or delivered yet. */
  | { readonly kind: 'user'; readonly uid: string; readonly behind?: 'read' | 'delivered' }
  | { readonly kind: 'app' }
  /** Two users who never spoke. */
  | { readonly kind: 'nothing' }

/** From where, in which direction, between which times. */
export interface Span {
  readonly direction: 'append' | 'prepend'
  readonly id?: number | undefined
  readonly sentAt?: number | undefined
  readonly fromTimestamp?: number | undefined
  readonly toTimestamp?: number | undefined
}

export interface Bounds {
  /** Both exclusive. */
  readonly after: number
  readonly before: number
}

const farthest = Number.MAX_SAFE_INTEGER

/** Where a span lies in a conversation. */
export async function boundsOf(
  { db }: AppDb,
  { bucket, key, hiddenTo }: ConversationKey & { readonly hiddenTo: number },
  span: Span,
): Promise<Bounds> {
  const edges = edgesOf(span)
  if (!isNarrow(edges)) return { after: hiddenTo, before: farthest }
  const place = sql`${bucket}::smallint, ${key}::bigint`
  const { rows } = await sql<Bounds>`
    select greatest(${hiddenTo}::bigint, ${seqBelow(place, edges)}) as after,
           ${seqAbove(place, edges)} as before`.execute(db)
  return rows[0] ?? { after: hiddenTo, before: farthest }
}

/** Nothing at or above these; something at or above one of those. */
interface Edges {
  readonly upper: { readonly id: number | null; readonly at: number | null }
  readonly lower: { readonly id: number | null; readonly at: number | null }
}

function edgesOf({ direction, id, sentAt, fromTimestamp, toTimestamp }: Span): Edges {
  const forward = direction === 'append'
  const at = id === undefined ? sentAt : undefined
  const upperAt = Math.min(
    forward || at === undefined ? Infinity : at,
    toTimestamp === undefined ? Infinity : toTimestamp + 1,
  )
  const lowerAt = Math.max(forward && at !== undefined ? at + 1 : 0, fromTimestamp ?? 0)
  return {
    upper: {
      id: forward ? null : (id ?? null),
      at: Number.isFinite(upperAt) ? upperAt : null,
    },
    lower: { id: forward && id !== undefined ? id + 1 : null, at: lowerAt > 0 ? lowerAt : null },
  }
}

function isNarrow({ upper, lower }: Edges): boolean {
  return [upper.id, upper.at, lower.id, lower.at].some((edge) => edge !== null)
}

/** By halving, since ids and times grow with seq. */
function seqBelow(place: RawBuilder<unknown>, { lower: { id, at } }: Edges) {
  return sql`greatest(
    ${id === null ? sql`0` : sql`last_seq_before(${place}, ${id}, null)`},
    ${at === null ? sql`0` : sql`last_seq_before(${place}, null, ${at})`})`
}

function seqAbove(place: RawBuilder<unknown>, { upper: { id, at } }: Edges) {
  return id === null && at === null
    ? sql`${farthest}::bigint`
    : sql`last_seq_before(${place}, ${id}, ${at}) + 1`
}

export interface Scanned {
  readonly entries: readonly Entry[]
  /** How many were looked at, and the id and seq of the last of them. */
  readonly looked: number
  readonly farId: number
  readonly farSeq: number
}

/** A condition on the entry `e` and its sides. */
export type Condition = RawBuilder<unknown>

/** The entries `e` to look at, in order. */
export type Scan = RawBuilder<unknown>

/** What the reader may see and the filter lets through. */
export function matching(own: string | undefined, filter: Condition | undefined): Condition {
  return allOf([visibleTo(own), filter])
}

/** Of what the words were found in: what the index of words does not know of, and the filter. */
export function matchingFound(scope: Scope, filter: Condition | undefined): Condition {
  return allOf([sql`not e.erased`, withinScope(scope), filter])
}

function withinScope(scope: Scope): Condition | undefined {
  if (scope.kind === 'user') return behindPosition(scope)
  return scope.kind === 'conversation' && scope.parentSeq !== undefined
    ? sql`e.parent_seq = ${scope.parentSeq}`
    : undefined
}

/** What is not deleted for ever, and, for its sender, what is withheld. */
function visibleTo(own: string | undefined): Condition {
  return own === undefined
    ? sql`not e.erased`
    : sql`(not e.erased or (e.sender = ${own} and e.verdict ? 'sealed'))`
}

/** Looks at so many entries of a scope at most, and returns those that match, in its direction. */
export async function scanEntries(
  db: AppDb,
  scan: Scan,
  direction: Span['direction'],
  filter: Condition,
  limit: number,
): Promise<Scanned> {
  const far = direction === 'append' ? sql`max` : sql`min`
  const order = orderOf(direction)
  const { rows } = await sql<FoundRow & Omit<Scanned, 'entries'>>`
    with e as materialized (${scan}),
    looked as (select count(*) as n, ${far}(id) as far_id, ${far}(seq) as far_seq from e)
    select l.n as looked, l.far_id as "farId", l.far_seq as "farSeq", m.*
    from looked l left join lateral (
      select ${foundColumns} from e ${sides}
      where ${filter} order by e.id ${order} limit ${limit}) m on true
    order by m.id ${order}`.execute(db.db)
  const [first] = rows
  if (!first) return { entries: [], looked: 0, farId: 0, farSeq: 0 }
  const entries = rows.flatMap(({ looked: _, farId: __, farSeq: ___, ...row }) =>
    row.id === null ? [] : [asFound(row)],
  )
  return { entries, looked: first.looked, farId: first.farId, farSeq: first.farSeq }
}

function orderOf(direction: Span['direction']) {
  return direction === 'append' ? sql`asc` : sql`desc`
}

export function conversationScan(
  { appId }: AppDb,
  { bucket, key, parentSeq }: ConversationKey & { readonly parentSeq?: number },
  { after, before }: Bounds,
  direction: Span['direction'],
  most: number,
): Scan {
  const replies = parentSeq === undefined ? sql`true` : sql`e.parent_seq = ${parentSeq}`
  return sql`
    select e.* from entries e
    where e.bucket = ${bucket} and e.conversation_key = ${key} and e.app_id = ${appId}
      and e.seq > ${after} and e.seq < ${before} and ${replies}
    order by e.seq ${orderOf(direction)} limit ${most}`
}

export function placesScan(
  { appId }: AppDb,
  places: readonly (ConversationKey & { readonly seq: number })[],
): Scan {
  return sql`
    select e.* from unnest(${places.map(({ bucket }) => bucket)}::smallint[],
                           ${places.map(({ key }) => key)}::bigint[],
                           ${places.map(({ seq }) => seq)}::bigint[]) as w(bucket, key, seq)
    join entries e on e.bucket = w.bucket and e.conversation_key = w.key and e.seq = w.seq
    where e.app_id = ${appId}`
}

/** Ids and times of different conversations agree to within so many seconds. */
const roomSeconds = 60

export function appScan({ appId }: AppDb, span: Span, most: number): Scan {
  const { upper, lower } = edgesOf(span)
  const idBefore = (at: number) => sql`last_id_before(${appId}, ${at}::bigint)`
  return sql`
    select e.* from entries e
    where ${allOf([
      sql`e.app_id = ${appId}`,
      upper.id === null ? undefined : sql`e.id < ${upper.id}`,
      lower.id === null ? undefined : sql`e.id >= ${lower.id}`,
      upper.at === null ? undefined : sql`e.id <= (select ${idBefore(upper.at + roomSeconds)})`,
      lower.at === null ? undefined : sql`e.id > (select ${idBefore(lower.at - roomSeconds)})`,
    ])}
    order by e.id ${orderOf(span.direction)} limit ${most}`
}

type UserScope = Extract<Scope, { kind: 'user' }>

function positionOf({ behind }: UserScope) {
  if (behind === 'read') return sql`p.read_seq`
  return behind === 'delivered' ? sql`p.delivered_seq` : sql`0`
}

/** An entry that the user has not read, or not had delivered, where that was asked for. */
function behindPosition(scope: UserScope): Condition | undefined {
  if (!scope.behind) return undefined
  return sql`
    e.seq > (select ${positionOf(scope)} from participants p where p.bucket = e.bucket
               and p.conversation_key = e.conversation_key and p.uid = ${scope.uid})`
}

/**
 * The newest of all conversations of a user, or the oldest behind a place. They lie in those
 * conversations whose own newest, or oldest, are the newest or oldest of all.
 */
export function userScan({ appId }: AppDb, scope: UserScope, span: Span, most: number): Scan {
  const edges = edgesOf(span)
  const order = orderOf(span.direction)
  const place = sql`p.bucket, p.conversation_key`
  const within = sql`
    e.bucket = c.bucket and e.conversation_key = c.conversation_key
      and e.seq > c.after and e.seq < c.before`
  return sql`
    select e.* from (
      select c.*, first.id as first_id from (
        select p.bucket, p.conversation_key,
               greatest(p.reset_seq, ${positionOf(scope)}, ${seqBelow(place, edges)}) as after,
               ${seqAbove(place, edges)} as before
        from participants p where p.app_id = ${appId} and p.uid = ${scope.uid} offset 0) c
      cross join lateral (
        select e.id from entries e where ${within} order by e.seq ${order} limit 1) first
      order by first.id ${order} limit ${most}) c
    cross join lateral (
      select * from entries e where ${within} order by e.seq ${order} limit ${most}) e
    order by e.id ${order} limit ${most}`
}
