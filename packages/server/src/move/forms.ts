import {
  type ListedConversation,
  type ListedGroup,
  type ListedMember,
  type ListedMessage,
  type ListedUser,
  pick,
} from './listed.ts'

/** What both sides must have alike, by the names of its fields. */
export type Form = Readonly<Record<string, unknown>>

/** What a move brings along, and compares. */
export const userFields = [
  'name',
  'avatar',
  'link',
  'role',
  'statusMessage',
  'metadata',
  'tags',
  'createdAt',
  'deactivatedAt',
] as const

export const groupFields = [
  'name',
  'type',
  'icon',
  'description',
  'metadata',
  'owner',
  'tags',
  'createdAt',
] as const

const ofMessages = [
  'muid',
  'parentId',
  'quotedMessageId',
  'conversationId',
  'sender',
  'receiver',
  'category',
  'type',
  'tags',
  'sentAt',
  'editedAt',
  'editedBy',
  'deletedAt',
  'deletedBy',
  'deliveredAt',
  'readAt',
  'replyCount',
] as const

export function userForm(user: ListedUser): Form {
  return pick(user, userFields)
}

export function groupForm(group: ListedGroup): Form {
  return pick(group, groupFields)
}

export function memberForm({ scope, joinedAt }: ListedMember): Form {
  return { scope, joinedAt }
}

export function unreadForm({ unreadMessageCount }: ListedConversation): Form {
  return { unread: Number(unreadMessageCount) }
}

export function messageForm(message: ListedMessage): Form {
  const { data = {} } = message
  const { entities, mentions, reactions, moderation: _, resource: __, ...rest } = data
  const { attachments, url, ...said } = rest
  const { uid, id } = Object(Object(Object(entities).on).entity)
  return {
    ...pick(message, ofMessages),
    data: said,
    files: { attachments, url },
    on: uid ?? id,
    mentions: Object.keys(Object(mentions)).sort(),
    reactions: countsIn(reactions),
  }
}

function countsIn(reactions: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(reactions) ? reactions : []
  return list.map((one) => `${Object(one).reaction} ${Object(one).count}`).sort()
}

/** The same text for the same form, in whatever order its fields come. */
export function textOf(form: unknown): string {
  return JSON.stringify(form, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

/** The names of fields in which two forms differ. */
export function differingIn(a: string, b: string): string[] {
  const [one, other]: [Form, Form] = [JSON.parse(a), JSON.parse(b)]
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].filter((name) => textOf(one[name]) !== textOf(other[name])).sort()
}
