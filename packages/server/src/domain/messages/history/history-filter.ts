import type { HistoryQuery, PositionQuery } from '@chorale/contract/messages'
import { allOf } from '../../../database/app-db.ts'
import type { Actor } from '../../../pipeline/caller.ts'
import { badRequest } from '../../../pipeline/failure.ts'
import type { Condition } from './history.sql.ts'
import * as entry from './history-filter.sql.ts'

export type Wanted = HistoryQuery &
  Partial<PositionQuery> & { readonly receiverType?: 'user' | 'group' }

/** Undefined: not asked for. */
type MaybeCondition = Condition | undefined

/**
 * What a list is narrowed to, as a condition on the entry `e` and its sides; undefined: to nothing.
 * `viewer` is whose unread, mentions and blocks are meant.
 */
export function filterOf(
  query: Wanted,
  viewer: string | undefined,
  permissions: Actor['permissions'] = {},
): MaybeCondition {
  const conditions = [
    ...whatMayBeListed(permissions),
    ...whatItIs(query),
    ...whatItHas(query),
    ...forWhom(query, viewer),
    ...when(query),
  ].filter((condition) => condition !== undefined)
  return conditions.length > 0 ? allOf(conditions) : undefined
}

/** The newest of a conversation, unless `filterOf` or the span narrows them. */
export function isOfNewest(query: Wanted, permissions: Actor['permissions'] = {}): boolean {
  const { affix, id, sentAt, fromTimestamp, toTimestamp, searchKey } = query
  const isWhole =
    affix !== 'append' &&
    [id, sentAt, fromTimestamp, toTimestamp, searchKey].every((edge) => edge === undefined)
  const isForOne =
    query.unread || query.undelivered || query.myMentionsOnly || query.hideMessagesFromBlockedUsers
  return (
    isWhole &&
    !isForOne &&
    [...whatMayBeListed(permissions), ...whatItIs(query), ...whatItHas(query)].every(
      (condition) => condition === undefined,
    )
  )
}

/** A role may see some categories and types in lists; an empty list restricts nothing. */
function whatMayBeListed(permissions: Actor['permissions']): MaybeCondition[] {
  const allowed = (what: string) => [permissions[`listMessages.${what}`] ?? []].flat()
  const categories = allowed('allowedMessageCategories')
  const types = allowed('allowedMessageTypes')
  return [
    categories.length > 0 ? entry.hasCategory(categories) : undefined,
    types.length > 0 ? entry.isNoMessageOrHasType(types) : undefined,
  ]
}

function whatItIs(query: Wanted): MaybeCondition[] {
  const categories = [query.category ?? [], query.categories ?? []].flat()
  const types = [query.type ?? [], query.types ?? []].flat()
  return [
    categories.length > 0 ? entry.hasCategory(categories) : undefined,
    types.length > 0 ? entry.hasType(types) : undefined,
    query.sender === undefined ? undefined : entry.isSentBy(query.sender),
    query.hideReplies ? entry.isNoReply : undefined,
    query.hideDeleted ? entry.isNotDeleted : undefined,
    query.onlyDeleted ? entry.isDeleted : undefined,
    query.receiverType === 'group' ? entry.isToGroup : undefined,
    query.receiverType === 'user' ? entry.isToUser : undefined,
  ]
}

function whatItHas(query: Wanted): MaybeCondition[] {
  const uids = query.mentionedUids
    ?.toLowerCase()
    .split(',')
    .map((uid) => uid.trim())
  const { attachmentTypes, tags } = query
  return [
    query.hasAttachments ? entry.hasAttachments : undefined,
    attachmentTypes === undefined ? undefined : entry.hasAttachmentsOfType(attachmentTypes),
    query.hasMentions ? entry.hasMentions : undefined,
    uids && entry.mentionsAnyOf(uids),
    query.hasLinks ? entry.hasLinks : undefined,
    query.hasReactions ? entry.hasReactions : undefined,
    tags && entry.hasTagAmong(tags),
  ]
}

function forWhom(query: Wanted, viewer: string | undefined): MaybeCondition[] {
  const named = (name: string) => {
    if (viewer === undefined) throw badRequest('onBehalfOf', `${name} is about an acting user.`)
    return viewer
  }
  return [
    query.unread ? entry.countsAsUnreadFor(named('unread')) : undefined,
    query.undelivered ? entry.isNotSentBy(named('undelivered')) : undefined,
    query.myMentionsOnly ? entry.mentions(named('myMentionsOnly')) : undefined,
    query.hideMessagesFromBlockedUsers
      ? entry.isFromNobodyBlockedBy(named('hideMessagesFromBlockedUsers'))
      : undefined,
  ]
}

/** Exactly; the scan itself begins and ends near there. */
function when({ fromTimestamp: from, toTimestamp: to }: Wanted): MaybeCondition[] {
  if (to !== undefined && from === undefined) {
    throw badRequest('fromTimestamp', 'A start time is required with an end time.')
  }
  return [
    from === undefined ? undefined : entry.isSentFrom(from),
    to === undefined ? undefined : entry.isSentUntil(to),
  ]
}
