import type { Member, Message, OperationOutputs } from '../contract.generated.ts'
import type { Target } from '../session/targets.ts'
import type { MessageDraft } from './drafts.ts'
import type { Live, LiveList } from './live.ts'
import type { ChatMessage, Receipts } from './messages.ts'

/** A message, or its id. */
export type MessageRef = string | Pick<ChatMessage, 'id'>

/** A message that was given to `send`. */
export interface SentMessage {
  /** The id by which it is known before it is stored. */
  readonly clientId: string
  /** Rejects when it was refused for good, or the chat was closed. */
  readonly stored: Promise<Message>
}

/** The replies to one message. */
export interface Thread {
  /** The replies, the oldest first. `loadMore` loads older ones. */
  readonly messages: LiveList<ChatMessage>
  /** Sends a reply. */
  send(draft: MessageDraft): SentMessage
}

/** The conversation with a user or a group. */
export interface ChatConversation extends Target {
  /** The oldest first, those on their way last. `loadMore` loads older ones. */
  readonly messages: LiveList<ChatMessage>
  /** Those of `messages` that are pinned. */
  readonly pinned: Live<readonly ChatMessage[]>
  /** How many messages of the others are not read yet. */
  readonly unread: Live<number>
  /** Uids of the others who type now. */
  readonly typingUsers: Live<readonly string[]>
  /** How far each of the others has come, by uid, as far as it was told since the chat began. */
  readonly receipts: Live<Readonly<Record<string, Receipts>>>
  /** Of a group; of a conversation with a user it is empty. */
  readonly members: LiveList<Member>
  /** Shown at once, and stored once, however often the connection fails. */
  send(draft: MessageDraft): SentMessage
  /** Sends a message again that was refused. */
  resend(clientId: string): SentMessage | undefined
  /** Forgets a message that was refused. */
  discard(clientId: string): void
  /** Sends a reply in the thread of a message. */
  reply(to: MessageRef, draft: MessageDraft): SentMessage
  /** The thread of a message. */
  thread(of: MessageRef): Thread
  /** Replaces the content of a message. */
  edit(message: MessageRef, draft: MessageDraft): Promise<void>
  /** Deletes a message: it stays, without its content and with `deletedAt`. */
  delete(message: MessageRef): Promise<void>
  /** Adds a reaction, such as an emoji. It is shown at once. */
  react(message: MessageRef, reaction: string): Promise<void>
  /** Takes back a reaction of one's own. */
  unreact(message: MessageRef, reaction: string): Promise<void>
  /** Pins a message for all. */
  pin(message: MessageRef): Promise<void>
  /** Ends that a message is pinned. */
  unpin(message: MessageRef): Promise<void>
  /** Up to this message, or all. */
  markRead(message?: MessageRef): Promise<void>
  /** Tells the others that messages have come: up to this one, or all. */
  markDelivered(message?: MessageRef): Promise<void>
  /** From this message on. */
  markUnread(message: MessageRef): Promise<void>
  /** Who has received and read a message. */
  receiptsOf(message: MessageRef): Promise<OperationOutputs['listReceipts']['data']>
  /** A key was pressed. The others are told, and told of the end after five seconds without one. */
  typing(): void
  /** Ends what `typing` has told. */
  stopTyping(): void
  /** Reaches who is there now, and is kept nowhere. False: there is no connection. */
  sendEvent(data: Record<string, unknown>): boolean
  /** Hears custom events of the others; returns the way to stop. */
  onEvent(listener: (event: CustomEvent) => void): () => void
}

/** A custom event, as the others hear it. */
export interface CustomEvent {
  /** Uid of who sent it. */
  readonly sender: string
  /** What was sent. */
  readonly data: Record<string, unknown>
}
