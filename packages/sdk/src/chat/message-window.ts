import type { Message } from '../contract.generated.ts'
import type { Outgoing } from '../session/outgoing.ts'
import { type ListState, openLive } from './live.ts'
import {
  type ChatMessage,
  isShown,
  type Receipts,
  stored,
  unsent,
  withOwnReactions,
  withReaction,
  withReceipts,
} from './messages.ts'
import { openPaging, type Page, type Paging } from './paging.ts'

export interface WindowParts {
  readonly uid: () => string
  /** Whether this message belongs here. */
  includes(message: Pick<Message, 'parentId'>): boolean
  /** Messages before this id, oldest first; without one, the newest. */
  fetch(beforeId: string | undefined): Promise<Page<Message>>
}

/** The newest messages of a conversation or a thread, and as many older ones as were loaded. */
export class MessageWindow {
  readonly #parts: WindowParts
  readonly #paging: Paging
  /** Sorted by id. Whoever does not change keeps its object. */
  #stored: ChatMessage[] = []
  readonly #unsent = new Map<string, ChatMessage>()
  /** What came while a page was under way: the page may be older. */
  readonly #early = new Map<string, Message>()
  readonly #chosen = new Map<string, Map<string, boolean>>()
  #receipts: Receipts = {}
  #isWanted = false
  readonly live

  constructor(parts: WindowParts) {
    this.#parts = parts
    this.live = openLive(
      () => this.#state(),
      () => this.#start(),
    )
    this.#paging = openPaging<Message>({
      fetch: parts.fetch,
      take: (messages, isFirst) => this.#takePage(messages, isFirst),
      onChange: () => this.live.changed(),
    })
  }

  get newestId(): string | undefined {
    return this.#stored.at(-1)?.id
  }

  loadMore(): Promise<void> {
    this.#isWanted = true
    return this.#paging.more()
  }

  retry(): void {
    this.#paging.retry()
  }

  /** Too much was missed. */
  reload(): void {
    if (this.#paging.state.status !== 'idle') void this.#paging.restart().catch(() => undefined)
  }

  find(id: string): ChatMessage | undefined {
    const found = this.#stored[this.#placeOf(id)]
    return found?.id === id ? found : undefined
  }

  hearMessage(message: Message): void {
    if (message.parentId !== undefined) this.#countReply(message.parentId)
    if (isShown(message) && this.#parts.includes(message)) this.#add(message)
  }

  hearChange(message: Message): void {
    this.#remember(message)
    const before = this.find(message.id)
    if (!before) return
    if (isShown(message)) this.#put(this.#changed(message, before))
    else this.#stored.splice(this.#placeOf(message.id), 1)
    this.live.changed()
  }

  hearOutgoing(outgoing: Outgoing): void {
    if (!this.#parts.includes(asIncluded(outgoing))) return
    const { clientId, message } = outgoing
    if (message) this.#add(message)
    else this.#unsent.set(clientId, unsent(outgoing, this.#parts.uid()))
    this.live.changed()
  }

  /** Forgets a message that was refused. */
  discard(clientId: string): void {
    if (this.#unsent.delete(clientId)) this.live.changed()
  }

  hearReceipts(receipts: Receipts): void {
    this.#receipts = receipts
    this.#stored = this.#stored.map((message) => withReceipts(message, receipts))
    this.live.changed()
  }

  /** Shows a reaction of one's own before the service has taken it. */
  react(id: string, reaction: string, isOn: boolean): void {
    const chosen = this.#chosen.get(id) ?? new Map<string, boolean>()
    this.#chosen.set(id, chosen.set(reaction, isOn))
    const before = this.find(id)
    if (before) this.#put(withReaction(before, reaction, isOn))
    this.live.changed()
  }

  /** The conversation is not theirs any more. */
  clear(): void {
    this.#stored = []
    this.#paging.reset()
  }

  #state(): ListState<ChatMessage> {
    return { ...this.#paging.state, items: [...this.#stored, ...this.#unsent.values()] }
  }

  #view(message: Message): ChatMessage {
    return withReceipts(stored(message, this.#parts.uid()), this.#receipts)
  }

  #changed(message: Message, before: ChatMessage): ChatMessage {
    const now = withOwnReactions(this.#view(message), before, this.#chosen.get(message.id))
    const { replyCount = before.replyCount } = now
    return replyCount === undefined ? now : { ...now, replyCount }
  }

  #start(): void {
    this.#isWanted = true
    this.#paging.start()
  }

  #add(message: Message): void {
    if (message.muid !== undefined) this.#unsent.delete(message.muid)
    this.#remember(message)
    if (this.#paging.state.status !== 'idle') this.#put(this.#view(message))
    // They have come back to a conversation that they had left.
    else if (this.#isWanted) this.#paging.start()
    this.live.changed()
  }

  #remember(message: Message): void {
    if (this.#paging.state.status === 'loading') this.#early.set(message.id, message)
  }

  #takePage(messages: readonly Message[], isFirst: boolean): void {
    const before = new Map(this.#stored.map((view) => [view.id, view]))
    const views = messages.map((message) => {
      const view = this.#view(message)
      const later = this.#early.get(message.id)
      return same(before.get(view.id), later ? this.#changed(later, view) : view)
    })
    if (isFirst) {
      const last = Number(views.at(-1)?.id ?? 0)
      const isNewer = ({ id = '' }: ChatMessage) => Number(id) > last && this.#early.has(id)
      this.#stored = [...views, ...this.#stored.filter(isNewer)]
    } else this.#stored = [...views.filter(({ id }) => !before.has(id)), ...this.#stored]
    for (const { key } of views) this.#unsent.delete(key)
    this.#early.clear()
  }

  #put(view: ChatMessage): void {
    const place = this.#placeOf(view.id ?? '')
    const before = this.#stored[place]
    if (before?.id === view.id) this.#stored[place] = same(before, view)
    else this.#stored.splice(place, 0, view)
  }

  /** Where the message with this id is, or would be. */
  #placeOf(id: string): number {
    let [low, high] = [0, this.#stored.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (Number(this.#stored[middle]?.id) < Number(id)) low = middle + 1
      else high = middle
    }
    return low
  }

  #countReply(parentId: string): void {
    const parent = this.find(parentId)
    if (!parent) return
    this.#put({ ...parent, replyCount: (parent.replyCount ?? 0) + 1 })
    this.live.changed()
  }
}

function asIncluded({ draft: { parentId } }: Outgoing): Pick<Message, 'parentId'> {
  return parentId === undefined ? {} : { parentId: String(parentId) }
}

/** The old object where nothing differs. */
function same(before: ChatMessage | undefined, now: ChatMessage): ChatMessage {
  return before && JSON.stringify(before) === JSON.stringify(now) ? before : now
}
