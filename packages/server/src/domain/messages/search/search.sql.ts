import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'
import { bigints, smallints, texts } from '../../../database/arrays.ts'
import type { Db } from '../../../database/db.ts'
import { prepared, run } from '../../../database/prepared.ts'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { EntryRef } from '../../../outbox/events.ts'

/** Entries of a conversation, both ends included. */
export interface EntrySpan extends ConversationKey {
  readonly firstSeq: number
  readonly lastSeq: number
}

/** Where to search. History up to `resetSeq` is hidden; a user's own resets are known. */
export type SearchScope =
  | ({ readonly kind: 'conversation'; readonly resetSeq: number } & ConversationKey)
  | { readonly kind: 'user'; readonly uid: string }
  | { readonly kind: 'app' }

/** Ids between, both ends excluded. */
export interface IdRange {
  readonly after: number
  readonly before: number
}

export interface EntryText extends EntryRef {
  readonly appId: string
  /** The entry's change that the text is of. */
  readonly change: number
  /** Null: there is nothing to find, or not any more. */
  readonly text: string | null
}

const text = `
  case when e.category <> 'action' and e.deleted_at is null and not e.erased
       then e.data->>'text' end as text`

const spansOf = prepared<EntryText>(
  'search-read-spans',
  `select e.bucket, e.conversation_key as key, e.seq, e.id, e.app_id as "appId",
          coalesce(e.change, 0) as change, ${text}
   from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) as s(bucket, key, first, last)
   cross join lateral (
     select from conversations c
     where c.bucket = s.bucket and c.conversation_key = s.key limit 1) c
   cross join lateral (
     select * from entries e
     where e.bucket = s.bucket and e.conversation_key = s.key
       and e.seq between s.first and s.last offset 0) e`,
)

/** Across apps, because a batch of appended entries is. A conversation that is gone has none. */
export function readSpans(db: Db, spans: readonly EntrySpan[]): Promise<EntryText[]> {
  return run(db, spansOf, [
    smallints(spans.map(({ bucket }) => bucket)),
    bigints(spans.map(({ key }) => key)),
    bigints(spans.map(({ firstSeq }) => firstSeq)),
    bigints(spans.map(({ lastSeq }) => lastSeq)),
  ])
}

/** The conversation among the words of its entries: the low half of its key. */
const wordOf = (key: string) => `${key}::bit(32)::int`

export interface IndexRow extends EntryText {
  readonly words: readonly number[]
}

const mergeWords = prepared<never>(
  'search-merge-words',
  `insert into entry_words as w (bucket, conversation_key, id, seq, change, app_id, words)
   select r.bucket, r.key, r.id, r.seq, r.change, r.app_id,
          case r.words when '{}' then '{}' else r.words::int[] || ${wordOf('r.key')} end
   from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
               $7::text[]) as r(bucket, key, id, seq, change, app_id, words)
   order by r.bucket, r.key, r.id
   on conflict (bucket, conversation_key, id) do update
   set change = excluded.change, words = excluded.words
   where w.change < excluded.change
      or (w.change = excluded.change and w.words <> excluded.words)`,
)

/** Of two that write the same entry, the one that read the later state prevails. */
export async function saveWords(db: Db, rows: readonly IndexRow[]): Promise<void> {
  await run(db, mergeWords, [
    smallints(rows.map(({ bucket }) => bucket)),
    bigints(rows.map(({ key }) => key)),
    bigints(rows.map(({ id }) => id)),
    bigints(rows.map(({ seq }) => seq)),
    bigints(rows.map(({ change }) => change)),
    texts(rows.map(({ appId }) => appId)),
    texts(rows.map(({ words }) => `{${words.join()}}`)),
  ])
}

/** A step of forgetting a conversation that is gone. True: there may be more. */
export async function deleteWords(
  { appId, db }: AppDb,
  { bucket, key }: ConversationKey,
  most: number,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from entry_words
    where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId} and id = any(array(
      select id from entry_words
      where bucket = ${bucket} and conversation_key = ${key} and app_id = ${appId}
      order by id limit ${most}))`.execute(db)
  return Number(numAffectedRows) === most
}

export interface Walked {
  readonly rows: number
  /** The oldest id that was looked at. */
  readonly reached: number
  readonly hits: readonly EntryRef[]
}

type WalkedRow = { [K in keyof EntryRef]: EntryRef[K] | null } & {
  readonly rows: number
  readonly reached: number
}

/** $1: app, $2: words, $3 and $4: ids between, $5: most rows. Says at least how far it came. */
const walk = (kind: SearchScope['kind'], rows: string) =>
  prepared<WalkedRow>(
    `search walk, ${kind}`,
    `with walked as materialized (
       select w.bucket, w.conversation_key as key, w.seq, w.id, w.words @> $2::int[] as hit
       from ${rows} and w.id > $3 and w.id < $4 order by w.id desc limit $5)
     select w.bucket, w.key, w.seq, w.id, t.*
     from (select count(*) as rows, min(id) as reached from walked) t
     left join walked w on w.hit order by w.id desc`,
  )

const walks = {
  conversation: walk(
    'conversation',
    `entry_words w
     where w.bucket = $6 and w.conversation_key = $7 and w.app_id = $1
       and w.id > coalesce((select e.id from entries e where e.bucket = $6
                            and e.conversation_key = $7 and e.seq = $8), 0)`,
  ),
  // `offset 0`: conversation by conversation, whatever the statistics say.
  user: walk(
    'user',
    `participants p
     cross join lateral (
       select * from entry_words w
       where w.bucket = p.bucket and w.conversation_key = p.conversation_key
         and w.id > $3 and w.id < $4 and w.seq > p.reset_seq offset 0) w
     where p.app_id = $1 and p.uid = $6`,
  ),
  app: walk('app', 'entry_words w where w.app_id = $1'),
}

/** Looks at the newest rows of the scope, one by one: for words that many of them have. */
export async function walkWords(
  { appId, db }: AppDb,
  scope: SearchScope,
  words: readonly number[],
  { after, before }: IdRange,
  most: number,
): Promise<Walked> {
  const parameters = [appId, words, after, before, most, ...partsOf(scope)]
  const found = await run(db, walks[scope.kind], parameters)
  const [{ rows, reached } = { rows: 0, reached: 0 }] = found
  return { rows, reached, hits: found.flatMap(asPlace) }
}

function asPlace({ bucket, key, seq, id }: WalkedRow): EntryRef[] {
  return bucket === null || key === null || seq === null || id === null
    ? []
    : [{ bucket, key, seq, id }]
}

function partsOf(scope: SearchScope): (string | number)[] {
  switch (scope.kind) {
    case 'conversation':
      return [scope.bucket, scope.key, scope.resetSeq]
    case 'user':
      return [scope.uid]
    case 'app':
      return []
  }
}

/** Parameters as of the walk. `offset 0` keeps the planner from walking after all. */
const pick = (kind: SearchScope['kind'], rows: string) =>
  prepared<EntryRef>(
    `search pick, ${kind}`,
    `select w.bucket, w.conversation_key as key, w.seq, w.id
     from ${rows} and w.app_id = $1 and w.id > $3 and w.id < $4 order by w.id desc limit $5`,
  )

const picks = {
  conversation: pick(
    'conversation',
    `(select * from entry_words w
      where w.bucket = $6 and w.words @> ($2::int[] || ${wordOf('$7::bigint')}) offset 0) w
     where w.conversation_key = $7 and w.seq > $8`,
  ),
  // One look into the lists for all conversations of a bucket.
  user: pick(
    'user',
    `(select p.bucket, array_agg(p.conversation_key) as keys, array_agg(p.reset_seq) as resets,
             array_agg(${wordOf('p.conversation_key')}) as words
      from participants p where p.app_id = $1 and p.uid = $6 group by p.bucket) s
     cross join lateral (
       select * from entry_words w
       where w.bucket = s.bucket and w.words @> $2::int[] and w.words && s.words offset 0) w
     where w.seq > s.resets[array_position(s.keys, w.conversation_key)]`,
  ),
  app: pick(
    'app',
    '(select * from entry_words w where w.words @> $2::int[] offset 0) w where true',
  ),
}

/** Reads the lists of the words: for those that few rows of the scope have. */
export async function pickWords(
  { appId, db }: AppDb,
  scope: SearchScope,
  words: readonly number[],
  { before, after }: IdRange,
  most: number,
): Promise<EntryRef[]> {
  return run(db, picks[scope.kind], [appId, words, after, before, most, ...partsOf(scope)])
}

const newest = prepared<{ id: number | null }>(
  'search newest',
  'select max(id) as id from entry_words where app_id = $1',
)

export async function newestId({ appId, db }: AppDb): Promise<number> {
  const [found] = await run(db, newest, [appId])
  return found?.id ?? 0
}

const textsById = prepared<{ id: number; text: string | null }>(
  'search texts',
  `select e.id, ${text}
   from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as p(bucket, key, seq)
   cross join lateral (
     select e.* from entries e
     where e.bucket = p.bucket and e.conversation_key = p.key and e.seq = p.seq
       and e.app_id = $1 limit 1) e
   cross join lateral (
     select from conversations c
     where c.bucket = p.bucket and c.conversation_key = p.key limit 1) c`,
)

/** What these entries say now, by id; what is deleted, or whose conversation is, is left out. */
export async function textsOf(
  { appId, db }: AppDb,
  places: readonly EntryRef[],
): Promise<Map<number, string>> {
  const rows = await run(db, textsById, [
    appId,
    places.map(({ bucket }) => bucket),
    places.map(({ key }) => key),
    places.map(({ seq }) => seq),
  ])
  return new Map(rows.flatMap(({ id, text }) => (text === null ? [] : [[id, text]])))
}
