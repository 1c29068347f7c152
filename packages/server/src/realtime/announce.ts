import type {
  Append,
  AppendedEntry,
  CommitHook,
  ConversationKey,
  RecordedEvent,
} from '../outbox/committed.ts'
import type { EventName, Events } from '../outbox/events.ts'
import {
  type AppSignal,
  appSubject,
  type ConversationSignal,
  conversationSubject,
  type UploadProgress,
  type UserSignal,
  userSubject,
} from './subjects.ts'

/** Who comes to a group with an entry. */
export type Movement = (entry: {
  readonly category: string
  readonly type: string
  readonly sender: string
  readonly data: string | null
}) => { readonly arrives: string | undefined }

/** Sends a signal to whoever listens; it may be lost. */
interface SignalPublisher {
  publish(subject: string, text: string): void
}

/** NATS takes a million bytes, and text within text is longer. */
const maxCharacters = 200_000
/** A character of the text has three bytes at most. */
const maxText = 300_000

/** Tells gateways what this process has committed: once for each conversation of a batch. */
export function openAnnouncer(signals: SignalPublisher, movementOf: Movement): CommitHook {
  const toConversation = (at: ConversationKey, signal: ConversationSignal) =>
    signals.publish(conversationSubject(at), textOf(signal))
  const toUser = (appId: string, uid: string, signal: UserSignal) =>
    signals.publish(userSubject(appId, uid), JSON.stringify(signal))
  const toApp = (appId: string, signal: AppSignal) =>
    signals.publish(appSubject(appId), JSON.stringify(signal))

  function announceEntries({ entries }: Append): void {
    const conversations = new Map<number, AppendedEntry[]>()
    for (const entry of entries) {
      const known = conversations.get(entry.key)
      if (known) known.push(entry)
      else conversations.set(entry.key, [entry])
    }
    for (const together of conversations.values()) {
      const [first] = together
      if (first) toConversation(first, signalOf(together))
    }
    for (const entry of entries) {
      const { appId, bucket, key, seq } = entry
      const { arrives } = movementOf(entry)
      if (arrives !== undefined) toUser(appId, arrives, { is: 'joined', at: { bucket, key }, seq })
    }
  }

  function announceEvent({ appId, name, at, payload }: RecordedEvent): void {
    const send = signalsByEvent[name]
    // The table gives each name its own payload; here they are one list.
    if (send) send(payload as never, { appId, at, toConversation, toUser, toApp })
    else if ('bucket' in payload) toConversation(payload, { is: 'behind' })
  }

  return ({ appends, events }) => {
    for (const append of appends) announceEntries(append)
    for (const event of events) announceEvent(event)
  }
}

/** Tells the devices of a user how far the check of their file is. */
export function openUploadProgress(signals: SignalPublisher) {
  return (appId: string, uid: string, progress: UploadProgress): void => {
    const signal: UserSignal = { is: 'upload', ...progress }
    signals.publish(userSubject(appId, uid), JSON.stringify(signal))
  }
}

function signalOf(entries: readonly AppendedEntry[]): ConversationSignal {
  const size = entries.reduce(
    (sum, { data, extra, verdict }) => sum + sizeOf(data) + sizeOf(extra) + sizeOf(verdict),
    0,
  )
  return size > maxCharacters ? { is: 'behind' } : { is: 'entries', entries }
}

/** Profiles that would make it too long are left out: gateways look them up. */
function textOf(signal: ConversationSignal): string {
  const text = JSON.stringify(signal)
  if (signal.is !== 'entries' || text.length <= maxText) return text
  const entries = signal.entries.map(({ profiles: _, ...entry }) => entry)
  return JSON.stringify({ ...signal, entries })
}

function sizeOf(text: string | null | undefined): number {
  return text?.length ?? 0
}

interface Senders {
  readonly appId: string
  readonly at: number
  readonly toConversation: (at: ConversationKey, signal: ConversationSignal) => void
  readonly toUser: (appId: string, uid: string, signal: UserSignal) => void
  readonly toApp: (appId: string, signal: AppSignal) => void
}

type SignalsByEvent = { readonly [N in EventName]?: (payload: Events[N], senders: Senders) => void }

const credentials = ({ uid }: { uid: string }, { appId, toUser }: Senders) =>
  toUser(appId, uid, { is: 'credentials' })

const relationships = (uids: readonly string[], { appId, toUser }: Senders) => {
  for (const uid of uids) toUser(appId, uid, { is: 'relationships' })
}

/** An event of a conversation that has no line here is a change to read in the log. */
const signalsByEvent: SignalsByEvent = {
  'conversation.started': ({ bucket, key, uids }, { appId, toUser }) => {
    for (const uid of uids) toUser(appId, uid, { is: 'joined', at: { bucket, key }, seq: 1 })
  },
  'conversation.delivered': ({ uid, seq, ...at }, senders) =>
    senders.toConversation(at, {
      is: 'receipt',
      receipt: { kind: 'delivered', uid, seq, at: senders.at },
    }),
  'conversation.read': ({ uid, seq, ...at }, senders) =>
    senders.toConversation(at, {
      is: 'receipt',
      receipt: { kind: 'read', uid, seq, at: senders.at },
    }),
  'conversation.unread': () => undefined,
  'conversation.reset': ({ uid, bucket, key }, { appId, toUser }) =>
    toUser(appId, uid, { is: 'reset', at: { bucket, key } }),
  'conversation.deleted': (at, { toConversation }) => toConversation(at, { is: 'reset' }),
  'group.deleted': (at, { toConversation }) => toConversation(at, { is: 'gone' }),
  // Nobody else is shown these.
  'message.saved': () => undefined,
  'message.unsaved': () => undefined,
  'thread.subscribed': () => undefined,
  'thread.unsubscribed': () => undefined,
  'app.archived': (_, { appId, toApp }) => toApp(appId, { is: 'credentials' }),
  'issuer.updated': (_, { appId, toApp }) => toApp(appId, { is: 'credentials' }),
  'issuer.deleted': (_, { appId, toApp }) => toApp(appId, { is: 'credentials' }),
  'authTokens.revoked': credentials,
  'user.deactivated': credentials,
  'user.deleted': credentials,
  'friends.added': ({ uid, friends }, senders) => relationships([uid, ...friends], senders),
  'friends.removed': ({ uid, friends }, senders) => relationships([uid, ...friends], senders),
  'user.blocked': ({ uid, blockedUids }, senders) => relationships([uid, ...blockedUids], senders),
  'user.unblocked': ({ uid, blockedUids }, senders) =>
    relationships([uid, ...blockedUids], senders),
}
