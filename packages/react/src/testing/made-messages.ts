import type { ChatMessage, ListState, LiveList } from '@chorale/sdk'

const words = 'a chat that is long enough has lines of every length and some of them do wrap'.split(
  ' ',
)

function madeMessage(place: number): ChatMessage {
  const sender = place % 7 < 3 ? 'ann' : 'bob'
  const text = Array.from({ length: 1 + ((place * 7) % 40) }, (_, n) => words[(place + n) % 17])
  return {
    key: `m${place}`,
    id: String(place),
    conversationId: 'made',
    state: 'sent',
    isOwn: sender === 'ann',
    sender,
    receiver: 'bob',
    receiverType: 'user',
    category: 'message',
    type: 'text',
    sentAt: 1_700_000_000 + place * 40,
    updatedAt: 1_700_000_000,
    data: { text: `${place} ${text.join(' ')}` },
  }
}

/** A list of so many messages, all loaded, to which more can be put at either end. */
export class MadeMessages implements LiveList<ChatMessage> {
  #first = 1_000_000
  #state: ListState<ChatMessage>
  readonly #listeners = new Set<() => void>()

  constructor(count: number) {
    const items = Array.from({ length: count }, (_, n) => madeMessage(this.#first + n))
    this.#state = { items, status: 'ready', hasMore: false }
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly getSnapshot = () => this.#state

  async loadMore(): Promise<void> {
    throw new Error('Everything is loaded.')
  }

  append(): void {
    const { items } = this.#state
    this.#set([...items, madeMessage(this.#first + items.length)])
  }

  prepend(count: number): void {
    this.#first -= count
    const older = Array.from({ length: count }, (_, n) => madeMessage(this.#first + n))
    this.#set([...older, ...this.#state.items])
  }

  /** Another text for the message at this place. */
  edit(place: number, text: string): void {
    const items = this.#state.items.map((one, n) =>
      n === place ? { ...one, data: { text } } : one,
    )
    this.#set(items)
  }

  #set(items: readonly ChatMessage[]): void {
    this.#state = { items, status: 'ready', hasMore: false }
    for (const listener of this.#listeners) listener()
  }
}
