import type { Member, Message, OperationOutputs } from '../contract.generated.ts'
import type { Target } from '../session/targets.ts'
import type { MessageDraft } from './drafts.ts'
import type { Live, LiveList } from './live.ts'
import type { ChatMessage, Receipts } from './messages.ts'

/** A message, or its id. */
export type MessageRef = string | Pick<ChatMessage, 'id'>

export interface SentMessage {
  readonly clientId: string
  /** Rejects when it was refused for good, or the chat was closed. */
  readonly stored: Promise<Message>
}

export interface Thread {
  /** The replies, the oldest first. `loadMore` loads older ones. */
  readonly messages: LiveList<ChatMessage>
  send(draft: MessageDraft): SentMessage
}

type ReceiptRow = OperationOutputs['listReceipts']['data'][number]

/** The conversation with a user or a group. */
export interface ChatConversation extends Target {
  /** The oldest first, those on their way last. `loadMore` loads older ones. */
  readonly messages: LiveList<ChatMessage>
  /** Those of `messages` that are pinned. */
  readonly pinned: Live<readonly ChatMessage[]>
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
  reply(to: MessageRef, draft: MessageDraft): SentMessage
  thread(of: MessageRef): Thread
  edit(message: MessageRef, draft: MessageDraft): Promise<void>
  delete(message: MessageRef): Promise<void>
  react(message: MessageRef, reaction: string): Promise<void>
  unreact(message: MessageRef, reaction: string): Promise<void>
  pin(message: MessageRef): Promise<void>
  unpin(message: MessageRef): Promise<void>
  /** Up to this message, or all. */
  markRead(message?: MessageRef): Promise<void>
  markDelivered(message?: MessageRef): Promise<void>
  /** From this message on. */
  markUnread(message: MessageRef): Promise<void>
  receiptsOf(message: MessageRef): Promise<readonly ReceiptRow[]>
  /** A key was pressed. The others are told, and told of the end after five seconds without one. */
  typing(): void
  stopTyping(): void
  /** Reaches who is there now, and is kept nowhere. False: there is no connection. */
  sendEvent(data: Record<string, unknown>): boolean
  onEvent(listener: (event: CustomEvent) => void): () => void
}

/** A custom event, as the others hear it. */
export interface CustomEvent {
  readonly sender: string
  readonly data: Record<string, unknown>
}
