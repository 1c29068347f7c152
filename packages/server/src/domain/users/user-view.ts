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
  const metadata = row.metadata && stranger ? open(row.metadata) : row.metadata
  return {
    uid: row.uid,
    name: row.name,
    role: row.role,
    status: row.online ? 'available' : 'offline',
    createdAt: row.createdAt,
    ...present({
      avatar: row.avatar,
      link: row.link,
      statusMessage: row.statusMessage,
      metadata,
      updatedAt: row.updatedAt,
      lastActiveAt: row.lastActiveAt,
      deactivatedAt: row.deactivatedAt,
      tags: withTags ? row.tags : null,
    }),
    ...(viewer !== undefined &&
      withConversationId && {
        conversationId: conversationIdOf(viewer, row.uid),
      }),
    ...(withBlocks && blockMarks(row)),
  }
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

type Present<T> = { [K in keyof T]?: Exclude<T[K], null> }

function present<T extends object>(fields: T): Present<T> {
  const found: Partial<T> = {}
  for (const name in fields) if (fields[name] !== null) found[name] = fields[name]
  // Only nulls were left out.
  return found as Present<T>
}
