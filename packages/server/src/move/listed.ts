/** What lists of both services have, as far as it is moved. */
export interface ListedUser {
  readonly uid: string
  readonly name: string
  readonly avatar?: string
  readonly link?: string
  readonly role?: string
  readonly statusMessage?: string
  readonly metadata?: object
  readonly tags?: readonly string[]
  readonly createdAt?: number
  readonly lastActiveAt?: number
  readonly deactivatedAt?: number
}

export interface ListedGroup {
  readonly guid: string
  readonly name: string
  readonly type: string
  readonly icon?: string
  readonly description?: string
  readonly metadata?: object
  readonly owner?: string
  readonly tags?: readonly string[]
  readonly createdAt?: number
}

export interface ListedMember extends ListedUser {
  readonly scope?: string
  readonly joinedAt?: number
}

export interface ListedConversation {
  readonly uid?: string
  readonly conversationId: string
  readonly conversationType: 'user' | 'group'
  readonly unreadMessageCount: string | number
  readonly conversationWith: { readonly uid?: string; readonly guid?: string }
  readonly tags?: readonly string[]
}

export interface ListedReaction {
  readonly id: string
  readonly uid: string
  readonly reaction: string
  readonly reactedAt: number
}

export interface ListedMessage {
  readonly id: string
  readonly muid?: string
  readonly conversationId: string
  readonly parentId?: string
  readonly quotedMessageId?: string
  readonly sender: string
  readonly receiverType: 'user' | 'group'
  readonly receiver: string
  readonly category: string
  readonly type: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly tags?: readonly string[]
  readonly sentAt: number
  readonly updatedAt?: number
  readonly editedAt?: number
  readonly editedBy?: string
  readonly deletedAt?: number
  readonly deletedBy?: string
  readonly deliveredAt?: number
  readonly readAt?: number
  readonly replyCount?: number
}

/** Some fields of an item. */
export function pick<T extends object, K extends keyof T>(
  item: T,
  names: readonly K[],
): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {}
  for (const name of names) picked[name] = item[name]
  return picked
}
