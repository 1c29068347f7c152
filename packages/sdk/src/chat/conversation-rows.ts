import type { Conversation, Group, Message, User } from '../contract.generated.ts'
import { ChoraleError } from '../errors.ts'
import type { Ask } from '../session/ask.ts'
import type { Target } from '../session/targets.ts'
import { receiverOf } from './conversation-ids.ts'
import { countsAsUnread, isLastMessage } from './messages.ts'

/** A conversation as a list shows it. */
export interface ConversationItem extends Target {
  /** As the service names the conversation. */
  readonly conversationId: string
  /** Of the other user, or of the group. */
  readonly name: string
  /** The other user, if it is a conversation of two. */
  readonly user?: User
  /** The group, if it is one of a group. */
  readonly group?: Group
  /** The newest message. */
  readonly lastMessage?: Message
  /** How many messages of the others are not read yet. */
  readonly unread: number
  /** Uids of who types now. */
  readonly typing: readonly string[]
  /** When something last happened, in Unix seconds. */
  readonly updatedAt: number
}

interface Row {
  readonly conversation: Conversation
  readonly unread: number
  /** Messages up to this id are in `unread`, or were read. */
  readonly countedTo: number
}

export interface RowsParts {
  readonly call: Ask
  readonly uid: () => string
  typingIn(target: Target): readonly string[]
  onChange(): void
  /** Something that nobody waits for went wrong. */
  onError(error: unknown): void
}

const perPage = 100
/** A conversation in which something happens all the time is not read for ever. */
const maxReads = 5

/** Last message and unread count of every conversation that is known, kept as they are now. */
export class ConversationRows {
  readonly #parts: RowsParts
  readonly #rows = new Map<string, Row>()
  readonly #items = new Map<string, ConversationItem>()
  /** Being read now; true: something has happened since. */
  readonly #reading = new Map<string, boolean>()
  /** What happened while the unread counts were read. */
  #touched: Set<string> | undefined
  #isActive = false

  constructor(parts: RowsParts) {
    this.#parts = parts
  }

  get unread(): number {
    let sum = 0
    for (const { unread } of this.#rows.values()) sum += unread
    return sum
  }

  unreadIn(conversationId: string): number {
    return this.#rows.get(conversationId)?.unread ?? 0
  }

  /** The newest first. An item that has not changed is the same object. */
  items(): ConversationItem[] {
    const all = [...this.#rows].map(([id, row]) => this.#item(id, row))
    return all.sort((a, b) => b.updatedAt - a.updatedAt || lastId(b) - lastId(a))
  }

  item(conversationId: string): ConversationItem | undefined {
    const row = this.#rows.get(conversationId)
    return row && this.#item(conversationId, row)
  }

  /** Somebody wants to know: until then nothing is asked for. */
  activate(): void {
    if (this.#isActive) return
    this.#isActive = true
    void this.readUnread()
  }

  /** What was read elsewhere while there was no connection, nobody told this device. */
  async readUnread(): Promise<void> {
    if (!this.#isActive || this.#touched) return
    const touched = new Set<string>()
    this.#touched = touched
    try {
      const found = await this.#unreadRows()
      for (const one of found.values()) if (!touched.has(one.conversationId)) this.take(one)
      for (const [id, row] of this.#rows) {
        if (row.unread > 0 && !found.has(id) && !touched.has(id))
          this.#set(id, { ...row, unread: 0 })
      }
    } catch (error) {
      this.#parts.onError(error)
    }
    this.#touched = undefined
    for (const id of touched) this.refresh(id)
  }

  /** As the service says it is. */
  take(conversation: Conversation): void {
    const { conversationId, unreadMessageCount, lastMessage } = conversation
    const before = this.#rows.get(conversationId)
    const countedTo = Math.max(Number(lastMessage?.id ?? 0), before?.countedTo ?? 0)
    this.#set(conversationId, { conversation, unread: Number(unreadMessageCount), countedTo })
  }

  /** A row of a page, which may be older than what was heard since. */
  offer(conversation: Conversation): void {
    if (!this.#rows.has(conversation.conversationId)) this.take(conversation)
  }

  hearMessage(conversationId: string, message: Message): void {
    if (!this.#touch(conversationId)) return
    const row = this.#rows.get(conversationId)
    if (row) this.#grow(conversationId, row, message)
    else this.refresh(conversationId)
  }

  #grow(conversationId: string, row: Row, message: Message): void {
    const id = Number(message.id)
    const isUnread = id > row.countedTo && countsAsUnread(message, this.#parts.uid())
    const isLast = isLastMessage(message) && id > Number(row.conversation.lastMessage?.id ?? 0)
    if (!isUnread && !isLast) return
    const { conversation } = row
    this.#set(conversationId, {
      conversation: isLast
        ? { ...conversation, lastMessage: message, updatedAt: message.sentAt }
        : conversation,
      unread: row.unread + (isUnread ? 1 : 0),
      countedTo: Math.max(row.countedTo, id),
    })
  }

  hearChange(conversationId: string, message: Message): void {
    const row = this.#rows.get(conversationId)
    if (!row || !this.#touch(conversationId)) return
    const isLast = row.conversation.lastMessage?.id === message.id
    // A message that is deleted is not unread any more, nor is it the last.
    if (message.deletedAt !== undefined && (isLast || row.unread > 0)) this.refresh(conversationId)
    if (!isLast) return
    const conversation = { ...row.conversation, lastMessage: message }
    this.#set(conversationId, { ...row, conversation })
  }

  /** They have read up to this message, here or on another device. */
  hearRead(conversationId: string, messageId: string): void {
    const row = this.#rows.get(conversationId)
    if (!this.#touch(conversationId) || !row) return
    if (Number(messageId) < row.countedTo) this.refresh(conversationId)
    else this.#set(conversationId, { ...row, unread: 0 })
  }

  hearPresence(conversationId: string, seen: Pick<User, 'status' | 'lastActiveAt'>): void {
    const row = this.#rows.get(conversationId)
    if (!row || 'guid' in row.conversation.conversationWith) return
    const conversationWith = { ...row.conversation.conversationWith, ...seen }
    this.#set(conversationId, { ...row, conversation: { ...row.conversation, conversationWith } })
  }

  typingChanged(conversationId: string): void {
    this.#items.delete(conversationId)
    this.#parts.onChange()
  }

  remove(conversationId: string): void {
    this.#items.delete(conversationId)
    if (this.#rows.delete(conversationId)) this.#parts.onChange()
  }

  /** Reads one conversation anew. */
  refresh(conversationId: string): void {
    if (!this.#isActive) return
    if (this.#reading.has(conversationId)) this.#reading.set(conversationId, true)
    else void this.#read(conversationId)
  }

  async #read(conversationId: string): Promise<void> {
    const { call, onError } = this.#parts
    let isStale = true
    for (let left = maxReads; isStale && left > 0; left--) {
      this.#reading.set(conversationId, false)
      try {
        const { data } = await call('getConversation', { params: { conversationId } })
        isStale = this.#reading.get(conversationId) ?? false
        if (!isStale || left === 1) for (const one of data) this.take(one)
      } catch (error) {
        isStale = false
        if (isGone(error)) this.remove(conversationId)
        else onError(error)
      }
    }
    this.#reading.delete(conversationId)
  }

  async #unreadRows(): Promise<Map<string, Conversation>> {
    const found = new Map<string, Conversation>()
    let cursor: string | undefined
    do {
      const query = { unread: true, perPage, ...(cursor !== undefined && { cursor }) }
      const { data, meta } = await this.#parts.call('listConversations', { query })
      for (const one of data) found.set(one.conversationId, one)
      cursor = meta.cursor.next
    } while (cursor !== undefined)
    return found
  }

  /** False: nobody wants to know. */
  #touch(conversationId: string): boolean {
    this.#touched?.add(conversationId)
    if (this.#reading.has(conversationId)) this.#reading.set(conversationId, true)
    return this.#isActive
  }

  #set(conversationId: string, row: Row): void {
    this.#rows.set(conversationId, row)
    this.#items.delete(conversationId)
    this.#parts.onChange()
  }

  #item(conversationId: string, { conversation, unread }: Row): ConversationItem {
    const known = this.#items.get(conversationId)
    if (known) return known
    const { conversationWith, lastMessage, updatedAt } = conversation
    const target = receiverOf(conversation)
    const item = {
      receiver: target.receiver,
      receiverType: target.receiverType,
      conversationId,
      name: conversationWith.name,
      ...('guid' in conversationWith ? { group: conversationWith } : { user: conversationWith }),
      ...(lastMessage && { lastMessage }),
      unread,
      typing: this.#parts.typingIn(target),
      updatedAt,
    }
    this.#items.set(conversationId, item)
    return item
  }
}

function lastId({ lastMessage }: ConversationItem): number {
  return Number(lastMessage?.id ?? 0)
}

function isGone(error: unknown): boolean {
  return error instanceof ChoraleError && /_NOT_(?:ACCESSIBLE|FOUND)$/.test(error.code)
}
