import type { User } from '@chorale/contract/users'
import type { UserRow } from './users.sql.ts'

export interface UserView {
  /** Through whose eyes; undefined: the app's own. */
  readonly viewer?: string | undefined
  /** Through the eyes of several at once. */
  readonly members?: boolean | undefined
  readonly withTags?: boolean | undefined
  /** Whether viewer and user have blocked each other; shown unless told otherwise. */
  readonly withBlocks?: boolean | undefined
  /** The label of the conversation of viewer and user; shown unless told otherwise. */
  readonly withConversationId?: boolean | undefined
}

/** A row as the interface shows it: what is not set is left out. */
export function shown(row: UserRow, view: UserView): User {
  const { viewer, members, withTags, withBlocks = true, withConversationId = true } = view
  const stranger = members || (viewer !== undefined && viewer !== row.uid)
  // Field by field: this is done for every user that a message, a page or a list shows.
  const user: User = {
    uid: row.uid,
    name: row.name,
    role: row.role,
    status: row.online ? 'available' : 'offline',
    createdAt: row.createdAt,
  }
  if (row.avatar !== null) user.avatar = row.avatar
  if (row.link !== null) user.link = row.link
  if (row.statusMessage !== null) user.statusMessage = row.statusMessage
  if (row.metadata !== null) user.metadata = stranger ? open(row.metadata) : row.metadata
  if (row.updatedAt !== null) user.updatedAt = row.updatedAt
  if (row.lastActiveAt !== null) user.lastActiveAt = row.lastActiveAt
  if (row.deactivatedAt !== null) user.deactivatedAt = row.deactivatedAt
  if (withTags && row.tags !== null) user.tags = row.tags
  if (viewer !== undefined && withConversationId) {
    user.conversationId = conversationIdOf(viewer, row.uid)
  }
  return withBlocks ? Object.assign(user, blockMarks(row)) : user
}

/** Label of the conversation of two users, whoever began it. */
export function conversationIdOf(a: string, b: string): string {
  return a < b ? `${a}_user_${b}` : `${b}_user_${a}`
}

/** How names are ordered and searched: case, width and accents composed do not matter. */
export function sortName(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** `@private` is between the user and the app. */
function open(metadata: Record<string, unknown>): Record<string, unknown> {
  const { '@private': _, ...rest } = metadata
  return rest
}

function blockMarks({ blockedByMeAt, hasBlockedMeAt }: UserRow) {
  const blockedAt = blockedByMeAt ?? hasBlockedMeAt
  return {
    ...(blockedByMeAt !== null && { blockedByMe: true, blockedByMeAt }),
    ...(hasBlockedMeAt !== null && { hasBlockedMe: true }),
    ...(blockedAt !== null && { blockedAt }),
  }
}
