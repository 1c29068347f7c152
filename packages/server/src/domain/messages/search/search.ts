import type { AppDb } from '../../../database/app-db.ts'
import { bucketCount } from '../../../database/buckets.ts'
import type { Db } from '../../../database/db.ts'
import type { EntryRef } from '../../../outbox/events.ts'
import {
  type EntrySpan,
  type IdRange,
  newestId,
  pickWords,
  readSpans,
  type SearchScope,
  saveWords,
  textsOf,
  walkWords,
} from './search.sql.ts'
import { parseQuery, wordsOf } from './search-words.ts'

export type { EntrySpan, SearchScope }

/** A page looks at this many rows at most, and says where to go on. */
const maxExamined = 20_000
/** So many rows are taken at once. Where fewer than `common` of them match, lists are read. */
const stepRows = 1000
const common = 2
/** Ids in the first step through a user's conversations: those of 2,000 messages of all. */
const firstSpan = 2000 * bucketCount
const comparedAtOnce = 200

/**
 * Brings the index in line with these entries, whatever happened to them. What happens to one
 * meanwhile is for the next call, which its change will cause.
 */
export async function indexEntries(db: Db, spans: readonly EntrySpan[]): Promise<void> {
  const entries = await readSpans(db, spans)
  const rows = entries
    .map((entry) => ({ ...entry, words: wordsOf(entry.appId, entry.text ?? '') }))
    // Never had any words; one that lost them has changed.
    .filter(({ words, change }) => words.length > 0 || change > 0)
  if (rows.length > 0) await saveWords(db, rows)
}

export interface SearchPage {
  /** Only entries below this id, only above. */
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly limit: number
}

export interface SearchResult {
  /** Newest first. */
  readonly places: readonly EntryRef[]
  /** The `before` of the next page, which may be there even if this one is short; undefined: all is found. */
  readonly next?: number
}

/** Entries in which every word of the text occurs, as they are now. */
export async function searchEntries(
  db: AppDb,
  text: string,
  scope: SearchScope,
  { before, after = 0, limit }: SearchPage,
): Promise<SearchResult> {
  const query = parseQuery(text)
  const words = query.hashes(db.appId)
  if (words.length === 0) return { places: [] }
  const range = { before: before ?? (await aboveAll(db, scope)), after }
  const places: EntryRef[] = []
  let next: number | undefined
  for await (const step of candidates(db, scope, words, range)) {
    for (let from = 0; from < step.hits.length; from += comparedAtOnce) {
      const some = step.hits.slice(from, from + comparedAtOnce)
      const texts = await textsOf(db, some)
      places.push(...some.filter(({ id }) => query.matches(texts.get(id) ?? '')))
      const last = places[limit - 1]
      if (last) return { places: places.slice(0, limit), next: last.id }
    }
    next = step.next
  }
  return { places, ...(next !== undefined && { next }) }
}

/** Spans of ids are taken from the newest on; for the others any number will do. */
async function aboveAll(db: AppDb, scope: SearchScope): Promise<number> {
  return scope.kind === 'user' ? (await newestId(db)) + 1 : Number.MAX_SAFE_INTEGER
}

interface Step {
  readonly hits: readonly EntryRef[]
  /** All from this id on has been looked at; undefined: all there is. */
  readonly next: number | undefined
}

/**
 * What may match, newest first, as far as one page may look. A common word is met soon on a walk
 * through the newest rows, and its list would be long; a rare one has a short list.
 */
async function* candidates(
  db: AppDb,
  scope: SearchScope,
  words: readonly number[],
  range: IdRange,
): AsyncGenerator<Step> {
  let examined = 0
  let hits = 0
  let next: number | undefined = range.before
  let span = firstSpan
  do {
    // The conversations of a user have no common order to walk in: a span of ids after the other.
    const after: number = scope.kind === 'user' ? Math.max(range.after, next - span) : range.after
    const walked = await walkWords(db, scope, words, { before: next, after }, stepRows)
    const full = walked.rows === stepRows
    span = full ? next - walked.reached : span * 2
    next = full ? walked.reached : after === range.after ? undefined : after + 1
    examined += walked.rows
    hits += walked.hits.length
    yield { hits: walked.hits, next }
    if (next === undefined) return
  } while (examined < maxExamined && hits >= (common * Math.max(examined, stepRows)) / stepRows)
  while (examined < maxExamined) {
    const picked = await pickWords(db, scope, words, { ...range, before: next }, stepRows)
    next = picked.length < stepRows ? undefined : picked.at(-1)?.id
    examined += picked.length
    yield { hits: picked, next }
    if (next === undefined) return
  }
}
