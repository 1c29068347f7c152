import type { Member, Message } from '../contract.generated.ts'
import type { SessionEvents } from '../session/events.ts'
import type { Draft, Outgoing } from '../session/outgoing.ts'
import type { Session } from '../session/session.ts'
import type { Target } from '../session/targets.ts'
import { conversationCalls, idOf } from './conversation-calls.ts'
import { keyOf } from './conversation-ids.ts'
import type { ConversationRows } from './conversation-rows.ts'
import type { ChatConversation, CustomEvent, SentMessage } from './conversation-types.ts'
import { draftFor, type MessageDraft } from './drafts.ts'
import { type LiveList, openLive, openValue } from './live.ts'
import { fetchMessages, fetchReplies } from './message-pages.ts'
import { MessageWindow } from './message-window.ts'
import type { ChatMessage, Receipts } from './messages.ts'
import { membersOf, openPagedList } from './people.ts'
import { openOwnTyping, type TypingUsers } from './typing.ts'

export interface ConversationParts {
  readonly session: Session
  readonly rows: ConversationRows
  readonly typingUsers: TypingUsers
  readonly uid: () => string
  readonly conversationId: () => string
  /** Messages of this device that are not stored, to any receiver, by client id. */
  readonly unsent: Map<string, Outgoing>
}

/** A conversation, and what it is told. */
export interface OpenConversation {
  readonly api: ChatConversation
  hearMessage(message: Message): void
  hearChange(message: Message): void
  hearOutgoing(outgoing: Outgoing): void
  hearReceipt(receipt: SessionEvents['receipt']): void
  hearEvent(event: CustomEvent): void
  reload(): void
  leave(): void
  retry(): void
  unreadChanged(): void
  close(): void
}

export function openConversation(target: Target, parts: ConversationParts): OpenConversation {
  const { session, rows, conversationId } = parts
  const windows = openWindows(target, parts)
  const sending = openSending(target, parts, windows)
  const members = openMembers(target, session)
  const receipts = openValue<Readonly<Record<string, Receipts>>>({})
  const unread = openLive(
    () => rows.unreadIn(conversationId()),
    () => rows.activate(),
  )
  const listeners = new Set<(event: CustomEvent) => void>()
  const calls = conversationCalls({
    session,
    target,
    showReaction: (id, reaction, isOn) => windows.each((one) => one.react(id, reaction, isOn)),
    showRead: (id) => rows.hearRead(conversationId(), id ?? String(Number.MAX_SAFE_INTEGER)),
    showUnread: () => rows.refresh(conversationId()),
  })
  const messages = listOf(windows.main)
  return {
    api: {
      ...target,
      messages,
      pinned: openPinned(windows.main),
      unread,
      typingUsers: parts.typingUsers.live,
      receipts,
      members,
      ...sending,
      ...calls,
      sendEvent: (data) => session.sendEvent(target, data),
      onEvent(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    hearMessage(message) {
      windows.each((one) => one.hearMessage(message))
      if (message.type === 'groupMember') members.reload()
    },
    hearChange: (message) => windows.each((one) => one.hearChange(message)),
    hearOutgoing: (outgoing) => windows.each((one) => one.hearOutgoing(outgoing)),
    hearReceipt({ uid, kind, messageId, at }) {
      const before = receipts.getSnapshot()
      const mine = { ...before[uid], [kind]: { messageId, at } }
      receipts.set({ ...before, [uid]: mine })
      if (uid === target.receiver) windows.each((one) => one.hearReceipts(mine))
    },
    hearEvent(event) {
      for (const listener of [...listeners]) listener(event)
    },
    reload: () => windows.each((one) => one.reload()),
    leave: () => windows.each((one) => one.clear()),
    retry: () => windows.each((one) => one.retry()),
    unreadChanged: unread.changed,
    close: sending.stopTyping,
  }
}

interface Windows {
  readonly main: MessageWindow
  thread(id: string): MessageWindow
  each(work: (window: MessageWindow) => void): void
}

function openWindows(target: Target, { session, uid, unsent }: ConversationParts): Windows {
  const { call } = session
  const threads = new Map<string, MessageWindow>()

  function open(parentId: string | undefined): MessageWindow {
    const window = new MessageWindow({
      uid,
      includes: (message) => message.parentId === parentId,
      fetch: (beforeId) =>
        parentId === undefined
          ? fetchMessages(call, target, beforeId)
          : fetchReplies(call, parentId, beforeId),
    })
    for (const outgoing of unsent.values()) {
      if (keyOf(outgoing.draft) === keyOf(target)) window.hearOutgoing(outgoing)
    }
    return window
  }

  const main = open(undefined)
  return {
    main,
    thread(id) {
      const known = threads.get(id) ?? open(id)
      threads.set(id, known)
      return known
    },
    each(work) {
      work(main)
      for (const thread of threads.values()) work(thread)
    },
  }
}

type Sending = Pick<
  ChatConversation,
  'send' | 'resend' | 'discard' | 'reply' | 'thread' | 'typing' | 'stopTyping'
>

/** Messages of one's own, and typing, which a message ends. */
function openSending(
  target: Target,
  { session, unsent }: ConversationParts,
  windows: Windows,
): Sending {
  const typing = openOwnTyping((state) => session.typing(target, state))

  function submit(draft: Draft): SentMessage {
    const sent = session.send(draft)
    typing.end()
    return sent
  }
  const send = (draft: MessageDraft, parentId?: string) => submit(draftFor(target, draft, parentId))

  return {
    send: (draft) => send(draft),
    resend(clientId) {
      const { draft, state } = unsent.get(clientId) ?? {}
      return draft && state === 'failed' ? submit({ ...draft, clientId }) : undefined
    },
    discard(clientId) {
      if (unsent.get(clientId)?.state !== 'failed') return
      unsent.delete(clientId)
      windows.each((one) => one.discard(clientId))
    },
    reply: (to, draft) => send(draft, idOf(to)),
    thread(of) {
      const id = idOf(of)
      return { messages: listOf(windows.thread(id)), send: (draft) => send(draft, id) }
    },
    typing: typing.press,
    stopTyping: typing.end,
  }
}

function listOf(window: MessageWindow): LiveList<ChatMessage> {
  const { subscribe, getSnapshot } = window.live
  return { subscribe, getSnapshot, loadMore: () => window.loadMore() }
}

function openPinned({ live }: MessageWindow) {
  let from: readonly ChatMessage[] = []
  let pinned: readonly ChatMessage[] = []
  return {
    subscribe: live.subscribe,
    getSnapshot() {
      const { items } = live.getSnapshot()
      if (items === from) return pinned
      from = items
      const now = items.filter(({ pinnedAt }) => pinnedAt !== undefined)
      const isSame = now.length === pinned.length && now.every((one, n) => one === pinned[n])
      if (!isSame) pinned = now
      return pinned
    },
  }
}

function openMembers({ receiver, receiverType }: Target, { call }: Session) {
  return receiverType === 'group'
    ? membersOf(call, receiver)
    : openPagedList<Member>(async () => ({ data: [], meta: { cursor: {} } }))
}
