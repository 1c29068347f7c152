import { sql } from 'kysely'
import type { Condition } from './history.sql.ts'

export function hasCategory(categories: readonly string[]): Condition {
  return sql`e.category = any(${categories})`
}

export function hasType(types: readonly string[]): Condition {
  return sql`e.type = any(${types})`
}

/** Types restrict messages only. */
export function isNoMessageOrHasType(types: readonly string[]): Condition {
  return sql`(e.category <> 'message' or e.type = any(${types}))`
}

export function isSentBy(uid: string): Condition {
  return sql`e.sender = ${uid}`
}

export function isNotSentBy(uid: string): Condition {
  return sql`e.sender <> ${uid}`
}

export const isNoReply: Condition = sql`e.parent_seq is null`

/** What is withheld is not, for whoever is shown it: its sender. */
export const isDeleted: Condition = sql`
  (e.deleted_at is not null and (e.verdict is null or not e.verdict ? 'sealed'))`

export const isNotDeleted: Condition = sql`not ${isDeleted}`

export const isToGroup: Condition = sql`g.guid is not null`

export const isToUser: Condition = sql`g.guid is null`

export const hasAttachments: Condition = sql`e.deleted_at is null and e.data -> 'attachments' is not null`

export function hasAttachmentsOfType(type: string): Condition {
  return sql`${hasAttachments} and e.type = ${type}`
}

export const hasMentions: Condition = sql`jsonb_array_length(e.extra -> 'mentions') > 0`

export function mentionsAnyOf(uids: readonly string[]): Condition {
  return sql`e.extra -> 'mentions' ?| ${uids}`
}

export function mentions(uid: string): Condition {
  return sql`e.extra -> 'mentions' ? ${uid}`
}

export const hasLinks: Condition = sql`
  e.deleted_at is null and e.data ->> 'text' ~* 'https?://'`

export const hasReactions: Condition = sql`e.extra ? 'reactions'`

export function hasTagAmong(tags: readonly string[]): Condition {
  return sql`e.extra -> 'tags' ?| ${tags}`
}

export function countsAsUnreadFor(uid: string): Condition {
  return sql`e.counts and e.deleted_at is null and e.sender <> ${uid}`
}

export function isFromNobodyBlockedBy(uid: string): Condition {
  return sql`not exists (
    select from blocked_users b
    where b.app_id = e.app_id and b.blocked_uid = e.sender and b.uid = ${uid})`
}

export function isSentFrom(timestamp: number): Condition {
  return sql`e.sent_at >= ${timestamp}`
}

export function isSentUntil(timestamp: number): Condition {
  return sql`e.sent_at <= ${timestamp}`
}
