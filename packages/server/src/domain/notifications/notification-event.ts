import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { EntryRef } from '../../outbox/events.ts'
import type { HeardEvent } from '../../outbox/listener.ts'
import type { Receiver } from '../../realtime/ports.ts'
import { actionOf, type EntryRow } from '../log/entries/index.ts'
import { findEntry, findReceiver } from '../log/index.ts'
import type { CallTrigger, MemberTrigger, Trigger } from './decide.ts'
import { countAlike, findSeqOf } from './notification-event.sql.ts'

/** What happened, as far as anybody is notified of it. */
export interface NotificationEvent {
  /** The same whenever the event comes again. */
  readonly eventId: string
  readonly trigger: Trigger
  /** What it is about: the message, the call, or what a group says of its members. */
  readonly row: EntryRow
  readonly receiver: Receiver
  /** Whoever did it is not notified. */
  readonly actor: string
  readonly reaction?: string
  /** One of many changes of members: of these, only whom it happened to is notified. */
  readonly bulk?: { readonly on: string }
}

type Appended = HeardEvent<'entry.appended'>
type Reacted = HeardEvent<'message.reactionAdded'>

const memberTriggers: Readonly<Record<string, MemberTrigger>> = {
  joined: 'after_group_joined',
  left: 'after_group_left',
  added: 'after_group_members_added',
  kicked: 'after_group_members_kicked',
  banned: 'after_group_members_banned',
  unbanned: 'after_group_members_unbanned',
  scopeChanged: 'after_scope_changed',
}

/** Of more changes of one kind than these within so many seconds, the others are not notified. */
const bulk = { most: 10, seconds: 60 }

const messageTriggers: Readonly<Record<string, Trigger>> = {
  edited: 'message_edited',
  deleted: 'message_deleted',
}

/** Undefined: nobody is notified of such a thing, or it is gone. */
export async function eventOf(
  { id, name, payload }: Appended | Reacted,
  db: AppDb,
): Promise<NotificationEvent | undefined> {
  if (name !== 'message.reactionAdded') return eventAt(db, id, payload)
  const seen = await seenAt(db, id, payload)
  // The name says which of the two it is.
  const { uid: actor, reaction } = payload as Reacted['payload']
  return seen && { ...seen, trigger: 'message_reaction_added', actor, reaction }
}

type Seen = Pick<NotificationEvent, 'eventId' | 'row' | 'receiver'>

/** What an entry says has happened. */
export async function eventAt(
  db: AppDb,
  eventId: string,
  ref: EntryRef,
): Promise<NotificationEvent | undefined> {
  const seen = await seenAt(db, eventId, ref)
  return seen && eventOfEntry(db, seen)
}

async function seenAt(
  db: AppDb,
  eventId: string,
  { bucket, key, seq }: EntryRef,
): Promise<Seen | undefined> {
  const receiver = await findReceiver(db, { bucket, key })
  const row = receiver && (await findEntry(db, { bucket, key }, seq))
  return row && { eventId, row, receiver }
}

async function eventOfEntry(db: AppDb, seen: Seen): Promise<NotificationEvent | undefined> {
  const { row } = seen
  const actor = row.sender
  if (row.verdict?.withheld) return undefined
  if (row.category === 'action') return eventOfAction(db, seen)
  if (row.category !== 'call') return { ...seen, trigger: 'after_message', actor }
  // The rules of a send let only these through.
  const { action } = JSON.parse(row.data) as { action: CallTrigger }
  return { ...seen, trigger: action, actor }
}

async function eventOfAction(db: AppDb, seen: Seen): Promise<NotificationEvent | undefined> {
  const { row } = seen
  // Only the service itself writes actions.
  const { action, messageId } = JSON.parse(row.data) as { action: string; messageId?: number }
  const actor = row.sender
  const member = memberTriggers[action]
  if (row.type === 'groupMember') {
    return member && { ...seen, trigger: member, actor, ...(await bulkOf(db, row)) }
  }
  const trigger = messageTriggers[action]
  const about = trigger && messageId !== undefined && (await entryOf(db, row, messageId))
  return about ? { ...seen, row: about, trigger, actor } : undefined
}

/** Members that came, or went, with others in one call, or behind many others. */
async function bulkOf(db: AppDb, row: EntryRow): Promise<Pick<NotificationEvent, 'bulk'>> {
  const { action = '', on = row.sender } = actionOf(row) ?? {}
  const together = row.extra?.together ?? 1
  const isBulk = together > 1 || (await countAlike(db, row, action, bulk)) >= bulk.most
  return isBulk ? { bulk: { on } } : {}
}

async function entryOf(db: AppDb, at: ConversationKey, id: number): Promise<EntryRow | undefined> {
  const seq = await findSeqOf(db, at, id)
  return seq === undefined ? undefined : findEntry(db, at, seq)
}

/** As the other one would mute it: the group, or whoever they talk to. */
export function conversationWith(
  { receiver }: Pick<NotificationEvent, 'receiver'>,
  uid: string,
): string {
  if (receiver.kind === 'group') return receiver.guid
  const [a, b] = receiver.uids
  return uid === a ? b : a
}
