import type { Event } from '@chorale/contract/events'
import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { EventName, Events } from '../../outbox/events.ts'
import type { HeardEvent } from '../../outbox/listener.ts'
import type { Receiver } from '../../realtime/ports.ts'
import { type Extra, otherThan } from '../log/entries/index.ts'
import { conversationIdOf } from '../users/index.ts'
import { groupConversationId } from '../views/index.ts'
import { type Found, findReferenced, type Reference } from './event-feed.sql.ts'

/** Those that outside have another name than in the outbox. */
const renamed = {
  'entry.appended': 'message.sent',
  'entry.imported': 'message.imported',
} as const

type TypeOf<N extends EventName> = N extends keyof typeof renamed ? (typeof renamed)[N] : N
type DataOf<N extends EventName> = Extract<Event, { readonly type: TypeOf<N> }>['data']

/** Events whose payload has the storage key of a conversation, which stays inside. */
type InConversation = {
  [N in EventName]: Events[N] extends ConversationKey ? N : never
}[EventName]
type Converted = InConversation | 'submission.moderated'

const nothing = () => ({})
const by = <T>({ by }: { readonly by: T }) => ({ by })

/** `data` of an event; any other has its payload there as it is. */
const dataOf: {
  readonly [N in Converted]: (payload: Events[N], found: Found | undefined) => DataOf<N>
} = {
  'group.deleted': ({ guid, group }) => ({ guid, group }),
  'conversation.started': ({ uids }) => ({ uids }),
  'conversation.delivered': nothing,
  'conversation.read': nothing,
  'conversation.unread': nothing,
  'conversation.reset': nothing,
  'conversation.deleted': nothing,
  'entry.appended': contentOf,
  'entry.imported': contentOf,
  'message.edited': nothing,
  'message.deleted': nothing,
  'message.reactionAdded': reactionOf,
  'message.reactionRemoved': reactionOf,
  'message.interacted': ({ elementIds }) => ({ elementIds }),
  'message.interactionGoalCompleted': nothing,
  'message.pinned': nothing,
  'message.unpinned': nothing,
  'message.saved': nothing,
  'message.unsaved': nothing,
  'thread.subscribed': nothing,
  'thread.unsubscribed': nothing,
  'message.blocked': by,
  'message.flagged': by,
  'message.approved': ({ by, blockedId }) => ({
    by,
    ...(blockedId !== undefined && { blockedMessageId: String(blockedId) }),
  }),
  'message.moderationFailed': ({ failures }) => ({ failures }),
  'message.fileChecked': ({ uploadId, state }) => ({ uploadId, state }),
  'submission.moderated': ({ revision, status, by }) => ({ revision, status, by }),
}

/** Events as servers outside get them; what they refer to is read in one statement. */
export async function publicEvents(db: AppDb, events: readonly HeardEvent[]): Promise<Event[]> {
  const references = events.map(({ payload }) => referenceOf(payload))
  const find = await findReferenced(
    db,
    references.filter((one) => one !== undefined),
  )
  return events.map((event, index) => {
    const reference = references[index]
    return publicEvent(event, reference && find(reference))
  })
}

/** The conversation, with the entry that has to be read: of an entry itself, the one it replies to. */
function referenceOf(payload: Events[EventName]): Reference | undefined {
  if (!('bucket' in payload) || 'guid' in payload) return undefined
  const { bucket, key } = payload
  if ('sender' in payload) return { bucket, key, seq: payload.parentSeq }
  return { bucket, key, seq: 'seq' in payload ? payload.seq : undefined }
}

function publicEvent({ id, name, at, payload }: HeardEvent, found: Found | undefined): Event {
  const type = name in renamed ? renamed[name as keyof typeof renamed] : name
  const convert = name in dataOf ? dataOf[name as Converted] : undefined
  // The tables have a type and a function for each name; here they are one list.
  const data = convert ? convert(payload as never, found) : payload
  return { id, type, at, ...subjectOf(payload, found), data } as Event
}

interface Subject {
  readonly actor?: string
  readonly conversationId?: string
  readonly receiver?: string
  readonly receiverType?: 'user' | 'group'
  readonly messageId?: string
}

/** Who did it, in which conversation and with which message. */
function subjectOf(payload: Events[EventName], found: Found | undefined): Subject {
  if ('guid' in payload) return receiverFields({ kind: 'group', guid: payload.guid }, undefined)
  if ('revision' in payload) return { messageId: String(payload.id) }
  if (!('bucket' in payload)) return {}
  if ('uids' in payload) return receiverFields(found?.receiver, payload.uids[0])
  if ('sender' in payload) {
    const { sender, id } = payload
    return { actor: sender, ...receiverFields(found?.receiver, sender), messageId: String(id) }
  }
  const actor = 'uid' in payload ? payload.uid : undefined
  const isMessage = 'id' in payload
  const messageId = isMessage ? payload.id : found?.id
  return {
    ...(actor !== undefined && { actor }),
    ...receiverFields(found?.receiver, isMessage ? (found?.sender ?? undefined) : actor),
    ...(messageId != null && { messageId: String(messageId) }),
  }
}

function receiverFields(receiver: Receiver | undefined, from: string | undefined): Subject {
  if (!receiver) return {}
  if (receiver.kind === 'group') {
    const { guid } = receiver
    return { conversationId: groupConversationId(guid), receiver: guid, receiverType: 'group' }
  }
  const { uids } = receiver
  return {
    conversationId: conversationIdOf(...uids),
    ...(from !== undefined && { receiver: otherThan(from, uids) }),
    receiverType: 'user',
  }
}

function contentOf(payload: Events['entry.appended'], found: Found | undefined) {
  const { category, type, muid, parentSeq, data, caught } = payload
  // As the log keeps what stands beside the data.
  const { tags, mentions, quoted } = (payload.extra ?? {}) as Extra
  return {
    message: {
      category,
      type,
      ...(muid !== undefined && { muid }),
      ...(parentSeq !== undefined && found?.id != null && { parentId: String(found.id) }),
      ...(quoted !== undefined && { quotedMessageId: String(quoted) }),
      ...(tags && { tags }),
      ...(mentions && { mentions }),
      ...(data && { data: withTextIds(category, data) }),
    },
    ...(caught && {
      moderation: caught === 'withheld' ? ('hidden' as const) : ('visible' as const),
    }),
  }
}

/** An action names its message by a number, which is text outside. */
function withTextIds(category: string, data: Readonly<Record<string, unknown>>) {
  const isAction = category === 'action' && data.messageId !== undefined
  return isAction ? { ...data, messageId: String(data.messageId) } : data
}

type Reacted = Events['message.reactionAdded']

function reactionOf({ reaction, reactionId, reactedAt }: Reacted) {
  return { reaction, reactionId: String(reactionId), reactedAt }
}
