/** The place of a conversation: an internal key, never the public label. */
export interface ConversationKey {
  readonly bucket: number
  readonly key: number
}

/** An entry as it is stored. */
export interface EntryRow extends ConversationKey {
  readonly seq: number
  readonly id: number
  readonly sender: string
  readonly category: string
  readonly type: string
  readonly muid: string | null
  /** JSON text: ids of who takes part, never copies of them. */
  readonly data: string
  readonly extra: Extra | null
  readonly sentAt: number
  readonly updatedAt: number
  readonly editedAt: number | null
  readonly deletedAt: number | null
}

/** What stands beside the data, where there is any. */
export interface Extra {
  readonly tags?: readonly string[]
  readonly mentions?: readonly string[]
  readonly editedBy?: string
  readonly deletedBy?: string
  /** The message that this one replies to, and whether this one has replies. */
  readonly parent?: number
  readonly thread?: true
  readonly quoted?: number
  readonly reactions?: Readonly<Record<string, number>>
  readonly pinned?: { readonly at: number; readonly by: string }
}

export type Receiver =
  | { readonly kind: 'group'; readonly guid: string }
  | { readonly kind: 'user'; readonly uids: readonly [string, string] }

/** An entry, and between whom it is. */
export interface Entry {
  readonly row: EntryRow
  readonly receiver: Receiver
}

/** What an action keeps. */
export interface ActionData {
  readonly action: string
  /** Whom it happened to, or which message. */
  readonly on?: string
  readonly messageId?: number
}

export function actionOf({ category, data }: EntryRow): ActionData | undefined {
  // Only the service itself writes actions.
  return category === 'action' ? (JSON.parse(data) as ActionData) : undefined
}

type Spoken = Pick<EntryRow, 'category' | 'type' | 'sender' | 'data'>

/** Who comes to a group, or goes, with this entry. Asked of every entry, so it parses only few. */
export function movementOf(row: Spoken): {
  readonly arrives: string | undefined
  readonly departs: string | undefined
} {
  const moves = row.category === 'action' && row.type === 'groupMember'
  // Only the service itself writes actions.
  const { action, on = row.sender } = moves ? (JSON.parse(row.data) as ActionData) : { action: '' }
  return {
    arrives: action === 'joined' || action === 'added' ? on : undefined,
    departs: action === 'left' || action === 'kicked' || action === 'banned' ? on : undefined,
  }
}

/** The id of the other message that this one shows. */
export function refersTo(row: EntryRow): number | undefined {
  return actionOf(row)?.messageId ?? (row.deletedAt === null ? row.extra?.quoted : undefined)
}

export function otherThan(uid: string, [a, b]: readonly [string, string]): string {
  return uid === a ? b : a
}
