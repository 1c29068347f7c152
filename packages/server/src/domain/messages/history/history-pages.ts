import type { AppDb } from '../../../database/app-db.ts'
import type { Entry } from '../../log/entries/index.ts'
import { searchEntries } from '../search/search.ts'
import {
  appScan,
  boundsOf,
  type Condition,
  conversationScan,
  matching,
  matchingFound,
  placesScan,
  type Scan,
  type Scanned,
  type Scope,
  type Span,
  scanEntries,
  userScan,
} from './history.sql.ts'
import type { HistoryReads } from './history-reads.ts'

export interface Page {
  /** In the order they were sent. */
  readonly entries: readonly Entry[]
  /** The id to go on from in the direction of the span; undefined: there is no more. */
  readonly goOnFrom: number | undefined
}

interface Asked {
  readonly words: string | undefined
  readonly filter: Condition | undefined
  readonly limit: number
  /** Whose withheld messages are shown, too. */
  readonly own: string | undefined
}

/** A page looks at so many entries at most; then it ends, full or not, and says where to go on. */
const maxLookedAt = { conversation: 5000, app: 5000, user: 4000 }

/** Found by their words, so many are held against the other filters at once, so often. */
const comparedAtOnce = 200
const maxSearches = 10

export async function pageOf(
  reads: HistoryReads,
  db: AppDb,
  scope: Scope,
  span: Span,
  asked: Asked,
): Promise<Page> {
  if (scope.kind === 'nothing') return { entries: [], goOnFrom: undefined }
  const { words } = asked
  if (words !== undefined) return searchedPage(db, scope, span, { ...asked, words })
  const page =
    scope.kind === 'conversation' && scope.parentSeq === undefined && !asked.filter
      ? await plainPage(reads, db, scope, span, asked)
      : await scannedPage(db, scope, span, asked)
  return span.direction === 'append' ? page : { ...page, entries: page.entries.toReversed() }
}

type Conversation = Extract<Scope, { kind: 'conversation' }>

async function plainPage(
  reads: HistoryReads,
  db: AppDb,
  scope: Conversation,
  span: Span,
  { limit, own }: Asked,
): Promise<Page> {
  const { bucket, key, receiver } = scope
  const { direction } = span
  const readPage = async () => {
    const bounds = await boundsOf(db, scope, span)
    return reads.page({ appId: db.appId, bucket, key, ...bounds, direction, limit, own })
  }
  const rows = scope.newest ?? (await readPage())
  return {
    entries: rows.map((row) => ({ row, receiver })),
    goOnFrom: rows.length === limit ? rows.at(-1)?.id : undefined,
  }
}

/** Looks at more and more until the page is full, all was seen, or it is enough for one request. */
async function scannedPage(
  db: AppDb,
  scope: Exclude<Scope, { kind: 'nothing' }>,
  span: Span,
  { filter, limit, own }: Asked,
): Promise<Page> {
  const wanted = matching(own, filter)
  const scan = await scannerOf(db, scope, span)
  const entries: Entry[] = []
  let looked = 0
  let size = filter ? Math.max(200, limit * 2) : limit
  for (;;) {
    const left = limit - entries.length
    const found = await scanEntries(db, scan.next(size), span.direction, wanted, left)
    entries.push(...found.entries)
    looked += found.looked
    if (entries.length === limit) return { entries, goOnFrom: entries.at(-1)?.row.id }
    if (found.looked < size) return { entries, goOnFrom: undefined }
    if (looked >= maxLookedAt[scope.kind]) return { entries, goOnFrom: found.farId }
    scan.moveTo(found)
    size = Math.min(size * 4, maxLookedAt[scope.kind] - looked)
  }
}

/** What the words are found in, newest first, and of that what the filter lets through. */
async function searchedPage(
  db: AppDb,
  scope: Exclude<Scope, { kind: 'nothing' }>,
  span: Span,
  { words, filter, limit }: Asked & { readonly words: string },
): Promise<Page> {
  const where = scope.kind === 'conversation' ? { ...scope, resetSeq: scope.hiddenTo } : scope
  const entries: Entry[] = []
  let before = span.id
  for (let round = 0; round < maxSearches; round++) {
    const { places, next } = await searchEntries(db, words, where, {
      before,
      limit: comparedAtOnce,
    })
    const left = limit - entries.length
    const wanted = matchingFound(scope, filter)
    const found = await scanEntries(db, placesScan(db, places), 'prepend', wanted, left)
    entries.push(...found.entries)
    if (entries.length === limit) return backwards(entries, entries.at(-1)?.row.id)
    if (next === undefined) return backwards(entries, undefined)
    before = next
  }
  return backwards(entries, before)
}

function backwards(entries: readonly Entry[], goOnFrom: number | undefined): Page {
  return { entries: entries.toReversed(), goOnFrom }
}

interface Scanner {
  next(most: number): Scan
  moveTo(far: Scanned): void
}

async function scannerOf(
  db: AppDb,
  scope: Exclude<Scope, { kind: 'nothing' }>,
  span: Span,
): Promise<Scanner> {
  const { direction } = span
  if (scope.kind === 'conversation') {
    let bounds = await boundsOf(db, scope, span)
    return {
      next: (most) => conversationScan(db, scope, bounds, direction, most),
      moveTo({ farSeq }) {
        bounds =
          direction === 'append' ? { ...bounds, after: farSeq } : { ...bounds, before: farSeq }
      },
    }
  }
  let rest = span
  return {
    next: (most) =>
      scope.kind === 'app' ? appScan(db, rest, most) : userScan(db, scope, rest, most),
    moveTo({ farId }) {
      rest = { ...rest, id: farId }
    },
  }
}
