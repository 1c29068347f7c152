import type { HistoryQuery, PositionQuery } from '@chorale/contract/messages'
import { type RawBuilder, sql } from 'kysely'
import { allOf } from '../../database/app-db.ts'
import type { Actor } from '../../pipeline/caller.ts'
import { badRequest } from '../../pipeline/failure.ts'

export type Wanted = HistoryQuery &
  Partial<PositionQuery> & { readonly receiverType?: 'user' | 'group' }

type Condition = RawBuilder<unknown> | undefined

/**
 * What a list is narrowed to, as a condition on the entry `e` and its sides; undefined: to nothing.
 * `viewer` is whose unread, mentions and blocks are meant.
 */
export function filterOf(
  query: Wanted,
  viewer: string | undefined,
  permissions: Actor['permissions'] = {},
): Condition {
  const conditions = [
    ...whatMayBeListed(permissions),
    ...whatItIs(query),
    ...whatItHas(query),
    ...forWhom(query, viewer),
    ...when(query),
  ].filter((condition) => condition !== undefined)
  return conditions.length > 0 ? allOf(conditions) : undefined
}

/** A role may see some categories and types in lists; an empty list restricts nothing. */
function whatMayBeListed(permissions: Actor['permissions']): Condition[] {
  const allowed = (what: string) => [permissions[`listMessages.${what}`] ?? []].flat()
  const categories = allowed('allowedMessageCategories')
  const types = allowed('allowedMessageTypes')
  return [
    categories.length > 0 ? sql`e.category = any(${categories})` : undefined,
    types.length > 0 ? sql`(e.category <> 'message' or e.type = any(${types}))` : undefined,
  ]
}

/** What is withheld is not, for whoever is shown it: its sender. */
const isDeleted = sql`
  (e.deleted_at is not null and (e.verdict is null or not e.verdict ? 'sealed'))`

function whatItIs(query: Wanted): Condition[] {
  const categories = [query.category ?? [], query.categories ?? []].flat()
  const types = [query.type ?? [], query.types ?? []].flat()
  return [
    categories.length > 0 ? sql`e.category = any(${categories})` : undefined,
    types.length > 0 ? sql`e.type = any(${types})` : undefined,
    query.sender === undefined ? undefined : sql`e.sender = ${query.sender}`,
    query.hideReplies ? sql`e.parent_seq is null` : undefined,
    query.hideDeleted ? sql`not ${isDeleted}` : undefined,
    query.onlyDeleted ? isDeleted : undefined,
    query.receiverType === 'group' ? sql`g.guid is not null` : undefined,
    query.receiverType === 'user' ? sql`g.guid is null` : undefined,
  ]
}

function whatItHas(query: Wanted): Condition[] {
  const uids = query.mentionedUids
    ?.toLowerCase()
    .split(',')
    .map((uid) => uid.trim())
  const { attachmentTypes, tags } = query
  return [
    query.hasAttachments ? sql`e.deleted_at is null and e.data ? 'attachments'` : undefined,
    attachmentTypes === undefined
      ? undefined
      : sql`e.deleted_at is null and e.data ? 'attachments' and e.type = ${attachmentTypes}`,
    query.hasMentions ? sql`jsonb_array_length(e.extra -> 'mentions') > 0` : undefined,
    uids && sql`e.extra -> 'mentions' ?| ${uids}`,
    query.hasLinks ? sql`e.deleted_at is null and e.data ->> 'text' ~* 'https?://'` : undefined,
    query.hasReactions ? sql`e.extra ? 'reactions'` : undefined,
    tags && sql`e.extra -> 'tags' ?| ${tags}`,
  ]
}

function forWhom(query: Wanted, viewer: string | undefined): Condition[] {
  const named = (name: string) => {
    if (viewer === undefined) throw badRequest('onBehalfOf', `${name} is about an acting user.`)
    return viewer
  }
  return [
    query.unread
      ? sql`e.counts and e.deleted_at is null and e.sender <> ${named('unread')}`
      : undefined,
    query.undelivered ? sql`e.sender <> ${named('undelivered')}` : undefined,
    query.myMentionsOnly ? sql`e.extra -> 'mentions' ? ${named('myMentionsOnly')}` : undefined,
    query.hideMessagesFromBlockedUsers
      ? sql`not exists (
          select from blocked_users b where b.app_id = e.app_id and b.blocked_uid = e.sender
            and b.uid = ${named('hideMessagesFromBlockedUsers')})`
      : undefined,
  ]
}

/** Exactly; the scan itself begins and ends near there. */
function when({ fromTimestamp: from, toTimestamp: to }: Wanted): Condition[] {
  if (to !== undefined && from === undefined) {
    throw badRequest('fromTimestamp', 'Say from when, too.')
  }
  return [
    from === undefined ? undefined : sql`e.sent_at >= ${from}`,
    to === undefined ? undefined : sql`e.sent_at <= ${to}`,
  ]
}
