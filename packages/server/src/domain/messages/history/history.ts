import type { HistoryQuery, history, UnreadCount, WindowMeta } from '@chorale/contract/messages'
import type { Db } from '../../../database/db.ts'
import { paginationOf } from '../../../database/keyset.ts'
import { badRequest, requireLookedUp } from '../../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../../pipeline/handler.ts'
import { RawJson, rawList, rawObject } from '../../../pipeline/raw-json.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { countUnread } from '../../conversations/index.ts'
import type { Entry, EntryRow } from '../../log/entries/index.ts'
import { requireUser } from '../../users/index.ts'
import {
  type ProfileLoader,
  prefetchProfiles,
  serialiseEntries,
  withCachedGroup,
} from '../../views/index.ts'
import { type PlainPage, serialisePlainPage } from '../../views/plain-pages/index.ts'
import type { Scope, Span } from './history.sql.ts'
import { filterOf, isOfNewest, type Wanted } from './history-filter.ts'
import { type Page, pageOf } from './history-pages.ts'
import { type HistoryReads, longestShared, openHistoryReads } from './history-reads.ts'
import type { Newest } from './history-scope.sql.ts'
import { everythingOf, groupScope, labelledScope, threadScope, userScope } from './history-scope.ts'

interface Listing {
  readonly ctx: ReadCtx
  readonly scope: Scope
  readonly query: Wanted
  /** Whose unread, mentions and blocks the filters mean. */
  readonly about: string | undefined
  /** Where those whom it will show were asked for already. */
  readonly faces?: ProfileLoader
}

interface PageEdges extends Pick<Page, 'goOnFrom'> {
  readonly count: number
  readonly oldest: Edge | undefined
  readonly newest: Edge | undefined
}

type Edge = Pick<EntryRow, 'id' | 'sentAt'>

interface Reading {
  readonly db: Db
  readonly people: (appId: string) => ProfileLoader
}

/** Lists of messages: of a conversation, of all conversations of a user, of the app. */
export function historyHandlers({ db, people }: Reading): Handlers<typeof history> {
  const reads = openHistoryReads(db)
  const from = ({ ctx, faces }: Listing) => faces ?? people(ctx.db.appId)

  async function list<T>(listing: Listing): Promise<RawJson<T>> {
    const { scope, query } = listing
    if (scope.kind === 'conversation' && scope.plain) {
      return listPlain(from(listing), listing, scope.receiver, scope.plain)
    }
    const { entries, goOnFrom } = await read(reads, listing)
    const [oldest, newest] = [entries[0]?.row, entries.at(-1)?.row]
    const meta = windowOf(query, { count: entries.length, oldest, newest, goOnFrom })
    const data = rawList(await print(from(listing), listing, entries))
    return new RawJson(rawObject({ meta }, { data }))
  }

  /** By page size, with a cursor of its own: the published form of this one list. */
  async function overview<T>(listing: Listing): Promise<RawJson<T>> {
    const page = await read(reads, listing)
    const { limit: perPage, affix = 'prepend' } = listing.query
    const meta = {
      pagination: paginationOf({ page: 1, perPage }, page.entries.length, 0),
      ...(page.goOnFrom !== undefined && { cursor: { id: page.goOnFrom, affix } }),
    }
    return new RawJson(
      rawObject({ meta }, { data: rawList(await print(from(listing), listing, page.entries)) }),
    )
  }

  return {
    async listMessages({ query }, ctx) {
      const about = ctx.actor?.uid
      const scope =
        query.conversationId === undefined
          ? everythingOf(about, query)
          : await labelledScope(reads, ctx, query.conversationId.toLowerCase(), query)
      const listing = { ctx, scope, query, about }
      return query.count ? count(listing) : list(listing)
    },

    async listUserMessages({ params: { uid }, query }, ctx) {
      const viewer = ctx.actor?.uid
      if (viewer !== undefined) {
        const soon = { uids: [viewer, uid], guids: [], blocks: false }
        const faces = prefetchProfiles(people(ctx.db.appId), soon, viewer)
        const scope = await userScope(reads, ctx, uid, viewer, query, newestOf(ctx, query))
        const listing = { ctx, scope, query, about: viewer, faces }
        return query.count ? count(listing) : list(listing)
      }
      requireLookedUp(ctx)
      await requireUser(ctx, uid)
      const whole = { ...query, limit: query.perPage }
      const listing = { ctx, scope: everythingOf(uid, query), query: whole, about: uid }
      return query.count ? count(listing) : overview(listing)
    },

    async listGroupMessages({ params: { guid }, query }, ctx) {
      const about = ctx.actor?.uid
      const { scope, group } = await groupScope(reads, ctx, guid, query, newestOf(ctx, query))
      const faces = withCachedGroup(people(ctx.db.appId), group, about)
      const listing = { ctx, scope, query, about, faces }
      return query.count ? count(listing) : list(listing)
    },

    async listReplies({ params: { id }, query }, ctx) {
      return list({ ctx, scope: await threadScope(ctx, id), query, about: ctx.actor?.uid })
    },
  }
}

function print(from: ProfileLoader, { ctx, query }: Listing, entries: readonly Entry[]) {
  return serialiseEntries(ctx.db, from, entries, {
    viewer: ctx.actor?.uid,
    addresses: ctx.addresses,
    withTags: query.withTags ?? false,
    mentionsWithBlockedInfo: query.mentionsWithBlockedInfo,
    mentionsWithTags: query.mentionswithTagInfo,
  })
}

async function listPlain<T>(
  from: ProfileLoader,
  { ctx, query }: Listing,
  receiver: Receiver,
  page: PlainPage,
): Promise<RawJson<T>> {
  const { messages, oldest, newest } = page
  const count = messages.length
  const goOnFrom = count === query.limit ? oldest.id : undefined
  const meta = windowOf(query, { count, oldest, newest, goOnFrom })
  const data = await serialisePlainPage(from, page, receiver, ctx.actor?.uid)
  return new RawJson(rawObject({ meta }, { data }))
}

function read(reads: HistoryReads, { ctx, scope, query, about }: Listing): Promise<Page> {
  const { limit, searchKey: words } = query
  if (words !== undefined && query.affix === 'append') {
    throw badRequest('affix', 'A search goes back from the newest message: use prepend.')
  }
  const filter = filterOf(query, about, ctx.actor?.permissions)
  const asked = { words, filter, limit, own: ownOf(ctx) }
  return pageOf(reads, ctx.db, scope, spanOf(query), asked)
}

/** Whose withheld messages are shown, too: nothing was withheld in an app that has never moderated. */
function ownOf({ app, actor }: ReadCtx): string | undefined {
  return app.moderationVersion === 0 ? undefined : actor?.uid
}

/** A page that can be read together with its place. */
function newestOf(ctx: ReadCtx, query: Wanted & { count?: boolean }): Newest | undefined {
  const { limit, count } = query
  return !count && limit <= longestShared && isOfNewest(query, ctx.actor?.permissions)
    ? { limit, withheldToo: ownOf(ctx) !== undefined }
    : undefined
}

/** Older than a place unless told otherwise; without a place the newest. */
function spanOf({ affix, id, sentAt, fromTimestamp, toTimestamp }: HistoryQuery): Span {
  return {
    direction: affix ?? 'prepend',
    id: id === undefined ? undefined : Number(id),
    sentAt,
    fromTimestamp,
    toTimestamp,
  }
}

/** In the direction of the page as long as there is more; in the other from its first message. */
function windowOf({ affix = 'prepend', limit }: HistoryQuery, page: PageEdges): WindowMeta {
  const { count, oldest, newest, goOnFrom } = page
  const edge = <A extends 'append' | 'prepend'>(to: A, row: typeof newest) => {
    const end = affix === to ? goOnFrom : row?.id
    if (end === undefined) return undefined
    return { affix: to, ...(row?.id === end && { sentAt: row.sentAt }), id: String(end) }
  }
  const next = edge('append', newest)
  const previous = edge('prepend', oldest)
  return {
    current: { limit, count },
    ...(next && { next }),
    ...(previous && { previous }),
  }
}

/** How much is unread, by user and group. */
async function count<T>({ ctx, scope, query, about }: Listing): Promise<RawJson<T>> {
  if (!query.unread) throw badRequest('count', 'Counts what is unread: send unread=true with it.')
  if (about === undefined)
    throw badRequest('onBehalfOf', 'A user is required: send the header onBehalfOf.')
  const rows = scope.kind === 'nothing' ? [] : await countUnread(ctx.db, about, placeOf(scope))
  const all = rows.map(
    ({ withUid, withGuid, count }): UnreadCount =>
      withGuid === null
        ? { entityId: withUid ?? '', entityType: 'user', count }
        : { entityId: withGuid, entityType: 'group', count },
  )
  const { receiverType } = query
  const data = receiverType ? all.filter((one) => one.entityType === receiverType) : all
  const meta: WindowMeta = { current: { limit: query.limit, count: data.length } }
  return new RawJson(JSON.stringify({ data, meta }))
}

function placeOf(scope: Scope) {
  return scope.kind === 'conversation' ? scope : undefined
}
