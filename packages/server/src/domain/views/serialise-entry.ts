import { inside } from '../../pipeline/raw-json.ts'
import type { Receiver } from '../../realtime/ports.ts'
import type { FileAddresses } from '../../storage/addresses.ts'
import { actionOf, type Entry, type EntryRow, otherThan } from '../log/entries/index.ts'
import {
  type Between,
  type Counterparts,
  nameAlone,
  receiverEntity,
  serialiseBetween,
  userEntity,
} from './counterparts.ts'
import type { Receipt } from './receipts.ts'
import { saidIn } from './shown-files.ts'

/** What is shown of entries, and through whose eyes; undefined: the app's own. */
export interface EntryView {
  readonly viewer: string | undefined
  /** Every member of the group at once: nothing that is only for one of them. */
  readonly members?: boolean | undefined
  readonly withTags?: boolean | undefined
  readonly mentionsWithBlockedInfo?: boolean | undefined
  readonly mentionsWithTags?: boolean | undefined
  /** Moderators read what was deleted, while it is kept. */
  readonly deletedToo?: boolean | undefined
  /** Makes the addresses of files; without it none is shown. */
  readonly addresses?: FileAddresses | undefined
}

/** What entries show beside what they keep: each loaded once for the whole page. */
export interface Facts {
  readonly appId: string
  readonly seen: Counterparts
  readonly mentioned: Counterparts
  readonly replies: ReadonlyMap<number, number>
  readonly ownReactions: ReadonlyMap<number, readonly string[]>
  readonly receipts: ReadonlyMap<number, Receipt>
  readonly referred: ReadonlyMap<number, Entry>
  /** Between whom messages are, as text: printed once for all of a sender. Of one message it is not kept. */
  readonly between?: Map<Receiver, Map<string, Between>>
}

/** An entry as JSON text. What it says was stored as JSON and is passed on as it is. */
export function serialiseEntry(
  entry: Entry,
  facts: Facts,
  view: EntryView,
  nested = false,
): string {
  const { row } = entry
  const between = betweenOf(entry, facts)
  const data =
    row.category === 'action'
      ? serialiseAction(entry, facts, view)
      : serialiseData(row, between.entities, facts, view)
  return (
    `${idsOf(row)}${between.names}${kindOf(row)}${data}${timesOf(row)}` +
    (isUntouched(row) ? '' : changesOf(row) + detailsOf(entry, facts, view, nested)) +
    `${receiptsOf(entry, facts.receipts)}}`
  )
}

export function idsOf({ id, muid }: EntryRow): string {
  return muid === null ? `{"id":"${id}",` : `{"id":"${id}","muid":${JSON.stringify(muid)},`
}

export function kindOf({ category, type }: EntryRow): string {
  return `,"category":"${category}","type":${JSON.stringify(type)},"data":`
}

export function timesOf({ sentAt, updatedAt }: EntryRow): string {
  return `,"sentAt":${sentAt},"updatedAt":${updatedAt}`
}

/** As it was sent, and with nothing beside its data: true of most, whose fields need no further look. */
export function isUntouched({ extra, editedAt, deletedAt }: EntryRow): boolean {
  return extra === null && editedAt === null && deletedAt === null
}

function changesOf({ editedAt, deletedAt, extra }: EntryRow): string {
  return (
    field('editedAt', editedAt) +
    field('editedBy', extra?.editedBy) +
    field('deletedAt', deletedAt) +
    field('deletedBy', extra?.deletedBy) +
    field('pinnedAt', extra?.pinned?.at) +
    field('pinnedBy', extra?.pinned?.by)
  )
}

/** What it is tied to, what it quotes, its tags. */
function detailsOf(entry: Entry, facts: Facts, view: EntryView, nested: boolean): string {
  const { id, extra } = entry.row
  const parent = extra?.parent
  const tags = view.withTags !== false && extra?.tags
  return (
    field('parentId', parent === undefined ? undefined : String(parent)) +
    field('replyCount', facts.replies.get(id)) +
    (nested ? '' : quotedBy(entry, facts, view)) +
    (tags ? `,"tags":${JSON.stringify(tags)}` : '')
  )
}

/** The quoted message stands inside; what that one quotes does not. */
function quotedBy({ row }: Entry, facts: Facts, view: EntryView): string {
  const id = row.deletedAt === null ? row.extra?.quoted : undefined
  if (id === undefined) return ''
  const quoted = facts.referred.get(id)
  const message = quoted ? `,"quotedMessage":${serialiseEntry(quoted, facts, view, true)}` : ''
  return `,"quotedMessageId":"${id}"${message}`
}

export function receiptsOf(
  { row, receiver }: { row: Pick<EntryRow, 'id' | 'sender'>; receiver: Receiver },
  receipts: ReadonlyMap<number, Receipt>,
): string {
  const known = receipts.get(row.id)
  if (!known || receiver.kind === 'group') return ',"receipts":{"data":[]}'
  const times = field('deliveredAt', known.deliveredAt) + field('readAt', known.readAt)
  const reader = otherThan(row.sender, receiver.uids)
  return `${times},"receipts":{"data":[{"messageId":"${row.id}","uid":"${reader}"${times}}]}`
}

/** By whom, on whom or which message, for which group or user. */
function serialiseAction({ row, receiver }: Entry, facts: Facts, view: EntryView): string {
  const { on, messageId, ...said } = actionOf(row) ?? { action: '' }
  const message = messageId === undefined ? undefined : facts.referred.get(messageId)
  const object =
    on !== undefined
      ? userEntity(on, facts.seen)
      : message && `{"entity":${serialiseEntry(message, facts, view, true)},"entityType":"message"}`
  const concerned = receiverEntity(row.sender, receiver, facts.seen)
  const entities = [
    `"by":${userEntity(row.sender, facts.seen)}`,
    ...(object ? [`"on":${object}`] : []),
    ...(concerned ? [`"for":${concerned}`] : []),
  ]
  return inside(JSON.stringify(said), [`"entities":{${entities.join(',')}}`])
}

/** A deleted message keeps who it was between, and nothing of what it said. */
function serialiseData(row: EntryRow, entities: string, facts: Facts, view: EntryView): string {
  if (isUntouched(row)) return inside(row.data, [entities])
  if (row.deletedAt !== null && !view.deletedToo) return `{${entities}}`
  const said = row.extra?.files ? saidIn(row, facts.appId, view) : row.data
  return inside(said, [entities, ...mentionsOf(row, facts), ...reactionsOf(row, facts)])
}

function betweenOf({ row: { sender }, receiver }: Entry, facts: Facts): Between {
  if (!facts.between) return serialiseBetween(sender, receiver, facts.seen)
  const senders = facts.between.get(receiver) ?? new Map<string, Between>()
  facts.between.set(receiver, senders)
  const known = senders.get(sender)
  if (known) return known
  const fresh = serialiseBetween(sender, receiver, facts.seen)
  senders.set(sender, fresh)
  return fresh
}

function mentionsOf({ extra }: EntryRow, { mentioned }: Facts): string[] {
  if (!extra?.mentions?.length) return []
  const shown = (uid: string) =>
    extra.unseen?.includes(uid) ? JSON.stringify(nameAlone(uid)) : mentioned.userText(uid)
  const users = extra.mentions.map((uid) => `"${uid}":${shown(uid)}`)
  return [`"mentions":{${users.join(',')}}`]
}

function reactionsOf({ id, extra }: EntryRow, { ownReactions }: Facts): string[] {
  if (!extra?.reactions) return []
  const own = ownReactions.get(id) ?? []
  const reactions = Object.entries(extra.reactions).map(([reaction, count]) => ({
    reaction,
    count,
    ...(own.includes(reaction) && { reactedByMe: true }),
  }))
  return [`"reactions":${JSON.stringify(reactions)}`]
}

/** A field behind others, if there is one. */
function field(name: string, value: string | number | null | undefined): string {
  return value === null || value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`
}
