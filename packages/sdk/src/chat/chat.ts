import type { User } from '../contract.generated.ts'
import { SessionError } from '../errors.ts'
import type { Ask } from '../session/ask.ts'
import type { ConnectionState } from '../session/link.ts'
import type { ConnectOptions } from '../session/options.ts'
import { connect, type Session } from '../session/session.ts'
import type { Target } from '../session/targets.ts'
import { type ChatParts, listen } from './chat-events.ts'
import { openConversation } from './conversation.ts'
import { conversationIdOf, keyOf } from './conversation-ids.ts'
import { openConversationList } from './conversation-list.ts'
import { type ConversationItem, ConversationRows } from './conversation-rows.ts'
import type { ChatConversation } from './conversation-types.ts'
import { type Live, type LiveList, openLive, openValue } from './live.ts'
import {
  type ChatGroups,
  type ChatUsers,
  openGroups,
  openPresence,
  openUsers,
  type Presence,
} from './people.ts'
import { openTypingUsers, type TypingUsers } from './typing.ts'

/** What `createChat` takes. */
export interface ChatOptions extends ConnectOptions {
  /** What goes wrong in the background, where no promise can say so. Printed unless given. */
  readonly onError?: (error: unknown) => void
}

/** The chats of one user on one device, kept as they are now. */
export interface Chat {
  /** Whether there is a connection, and why not. */
  readonly connection: Live<ConnectionState>
  /** Undefined until the service has said who it is. */
  readonly me: Live<User | undefined>
  /** Unread messages of all conversations together. */
  readonly unread: Live<number>
  /** The newest first. */
  conversations(): LiveList<ConversationItem>
  /** The same object for the same receiver. */
  conversation(target: Target): ChatConversation
  /** The users of the app, as far as this user may see them. */
  readonly users: ChatUsers
  /** The groups of the app, as far as this user may see them. */
  readonly groups: ChatGroups
  /** Whether a user is online. Undefined until it is known. */
  presence(uid: string): Live<Presence | undefined>
  /** What is beneath: events, and every operation that a device may call. */
  readonly session: Session
  /** Ends the connection. What was not sent is refused. */
  close(): void
}

/** The same array each time, so that a row without typing users does not differ. */
const nobody: readonly string[] = []

/** A chat client: it connects by itself, stays connected, and keeps what a chat shows. */
export function createChat(options: ChatOptions): Chat {
  const session = connect({ presence: { of: 'all' }, ...options })
  const onError = reporting(options.onError ?? console.error)
  const me = openValue<User | undefined>(undefined)
  const connection = openValue<ConnectionState>(session.connection)
  const uidLater = async () => (await session.user).uid
  const call = repeatingReads(session.call)
  const typing = new Map<string, TypingUsers>()
  const rows = new ConversationRows({
    call,
    uid,
    typingIn: (target) => typing.get(keyOf(target))?.live.getSnapshot() ?? nobody,
    onChange() {
      unread.changed()
      list.changed()
      for (const one of parts.conversations.values()) one.unreadChanged()
    },
    onError,
  })
  const unread = openLive(
    () => rows.unread,
    () => rows.activate(),
  )
  const list = openConversationList(call, rows)
  const parts: ChatParts = {
    session,
    rows,
    list,
    presence: openPresence(call, onError),
    conversations: new Map(),
    unsent: new Map(),
    uid,
    typingIn: (target) =>
      getOrAdd(typing, keyOf(target), () =>
        openTypingUsers(() => rows.typingChanged(conversationIdOf(target, uid()))),
      ),
  }
  function uid(): string {
    return me.getSnapshot()?.uid ?? ''
  }
  session.on('connection', (now) => {
    if (now.state === 'online') me.set(now.user)
    connection.set(now)
  })
  listen(parts)
  return {
    connection,
    me,
    unread,
    conversations: () => list,
    conversation: (target) => conversationWith(parts, target),
    users: openUsers(call, uidLater),
    groups: openGroups(call),
    presence: parts.presence.of,
    session,
    close() {
      for (const one of parts.conversations.values()) one.close()
      for (const one of typing.values()) one.clear()
      session.close()
    },
  }
}

function conversationWith(parts: ChatParts, given: Target): ChatConversation {
  const target = { receiver: given.receiver, receiverType: given.receiverType }
  const { session, rows, uid, conversations, unsent } = parts
  const found = getOrAdd(conversations, keyOf(target), () =>
    openConversation(target, {
      session,
      rows,
      typingUsers: parts.typingIn(target),
      uid,
      unsent,
      conversationId: () => conversationIdOf(target, uid()),
    }),
  )
  return found.api
}

function getOrAdd<T>(all: Map<string, T>, key: string, open: () => T): T {
  const known = all.get(key) ?? open()
  all.set(key, known)
  return known
}

/** What only reads is asked for again, if a connection was lost before the answer. */
function repeatingReads(call: Ask): Ask {
  // As it is on the wire, where all operations are one shape.
  const plain = call as (name: string, input?: object, options?: object) => Promise<unknown>
  const repeating = (name: string, input?: object, options?: object) =>
    plain(name, input, { retries: 2, ...options })
  return repeating as Ask
}

/** What a lost connection has interrupted is done again with the next one. */
function reporting(report: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof SessionError)) report(error)
  }
}
