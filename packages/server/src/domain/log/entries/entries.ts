import type { Action, Condition } from '@chorale/contract/rules'
import type { ConversationKey } from '../../../outbox/committed.ts'
import type { EntryRef } from '../../../outbox/events.ts'
import type { Receiver } from '../../../realtime/ports.ts'

export type { ConversationKey, Receiver }

/** An entry as it is stored. */
export interface EntryRow extends EntryRef {
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
  /** Null for nearly all: no rule has caught it, and no moderator has reviewed it. */
  readonly verdict?: Verdict | null
}

/** What an entry says, and who says it. */
interface Said extends Pick<EntryRow, 'sender' | 'category' | 'type' | 'data'> {
  readonly muid?: string | null | undefined
  readonly extra?: Extra | null | undefined
  readonly verdict?: Verdict | null | undefined
}

/** The row of an entry right after it was appended. */
export function freshRow(
  { bucket, key }: ConversationKey,
  { seq, id, at }: { readonly seq: number; readonly id: number; readonly at: number },
  { sender, category, type, data, muid = null, extra = null, verdict = null }: Said,
): EntryRow {
  return {
    bucket,
    key,
    seq,
    id,
    sender,
    category,
    type,
    muid,
    data,
    extra,
    sentAt: at,
    updatedAt: at,
    editedAt: null,
    deletedAt: verdict?.sealed ? at : null,
    verdict,
  }
}

/** What was decided about a message. */
export interface Verdict {
  /** By which rule; none where a moderator did it without one. */
  readonly rule?: { readonly id: string; readonly name: string; readonly revisionId: string }
  readonly condition?: Condition
  readonly actions: readonly Action[]
  /** What a classifier has said, or why none did. */
  readonly reason?: string
  /** Nothing is decided before these are answered. */
  readonly pending?: readonly Question[]
  /** From its first moment on. */
  readonly withheld?: true
  /** What it says, while it is withheld: the row itself is that of one deleted for ever. */
  readonly sealed?: Sealed
}

/** What a rule wants to know of a classifier. */
export interface Question {
  readonly rule: { readonly id: string; readonly name: string; readonly revisionId: string }
  readonly condition: Condition
  readonly actions: readonly Action[]
  /** The list that says whom to ask. */
  readonly list: { readonly id: string; readonly revision: number }
}

export interface Sealed {
  readonly data: Readonly<Record<string, unknown>>
  readonly extra: Extra | null
  /** Whether it would raise unread counts, and become the last message. */
  readonly counts: boolean
  readonly shows: boolean
}

/** What stands beside the data, where there is any. */
export interface Extra {
  readonly tags?: readonly string[]
  readonly mentions?: readonly string[]
  /** Of those, whose details the sender may not see: their names alone are shown. */
  readonly unseen?: readonly string[]
  readonly editedBy?: string
  readonly deletedBy?: string
  /** Deleted for ever, but kept until moderators have looked at it. */
  readonly erase?: true
  /** The message that this one replies to, and whether this one has replies. */
  readonly parent?: number
  readonly thread?: true
  readonly quoted?: number
  readonly reactions?: Readonly<Record<string, number>>
  /** Of what happened to a member: to how many it happened in the same call, where there were more. */
  readonly together?: number
  /** It was said elsewhere, and brought here later. */
  readonly imported?: true
  readonly pinned?: { readonly at: number; readonly by: string }
  /** Files that it names, or has named before an edit. */
  readonly files?: readonly EntryFile[]
}

/** A file of an upload. Its name, type and size stand in the attachment. */
export interface EntryFile {
  readonly id: string
  /** Absent: the store of the install. */
  readonly store?: number
  /** Absent: it is ready. */
  readonly state?: 'checking' | 'refused'
  /** Once it is checked. */
  readonly about?: FileAbout
}

/** What a check has found out about a file, for those who see it. */
interface FileAbout {
  /** Which of its objects is shown: the one that was checked, or what was made of it. */
  readonly part: 'held' | 'clean'
  /** The real ones of that object. */
  readonly type: string
  readonly size: number
  /** Of a picture or a video, in pixels. */
  readonly width?: number
  readonly height?: number
  /** In base64; with it there are thumbnails. */
  readonly thumbhash?: string
  /** Of sound and video, in seconds. */
  readonly duration?: number
  /** How loud it is, from 0 to 100, at places of equal distance. */
  readonly waveform?: readonly number[]
}

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

/** Data that are null were too large to travel: no action has as much. */
type Spoken = Pick<EntryRow, 'category' | 'type' | 'sender'> & {
  readonly data: string | null
  readonly extra?: Extra | string | null | undefined
  readonly imported?: boolean | undefined
}

/**
 * Who comes to a group, or goes, with this entry. Asked of every entry, so it parses only few. What
 * happened elsewhere moves nobody here.
 */
export function movementOf(row: Spoken): {
  readonly arrives: string | undefined
  readonly departs: string | undefined
} {
  const { extra, imported = typeof extra === 'object' && extra?.imported === true } = row
  const moves = row.category === 'action' && row.type === 'groupMember' && !imported
  // Only the service itself writes actions.
  const { action, on = row.sender } = moves
    ? (JSON.parse(row.data ?? '{}') as ActionData)
    : { action: '' }
  return {
    arrives: action === 'joined' || action === 'added' ? on : undefined,
    departs: action === 'left' || action === 'kicked' || action === 'banned' ? on : undefined,
  }
}

/** The id of the other message that this one shows. */
export function refersTo(row: EntryRow): number | undefined {
  return actionOf(row)?.messageId ?? (row.deletedAt === null ? row.extra?.quoted : undefined)
}

/** What is withheld is there for its sender; for everyone else it stays deleted for ever. */
export function seenBy(viewer: string | undefined, entry: Entry): Entry {
  const sealed = entry.row.verdict?.sealed
  if (!sealed || entry.row.sender !== viewer) return entry
  return { ...entry, row: opened(entry.row, sealed) }
}

export function opened(row: EntryRow, { data, extra }: Sealed): EntryRow {
  return { ...row, data: JSON.stringify(data), extra, deletedAt: null }
}

export function otherThan(uid: string, [a, b]: readonly [string, string]): string {
  return uid === a ? b : a
}
