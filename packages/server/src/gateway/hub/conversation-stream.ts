import type { Position } from '@chorale/contract/frames'
import type { AppendedEntry } from '../../outbox/committed.ts'
import type { Feed, FollowedConversation, SerialisedEntry, Viewers } from '../../realtime/ports.ts'
import type { ConversationSignal, ReceiptSignal } from '../../realtime/subjects.ts'
import { framed, print, serialiseEntryFrame } from '../frames.ts'
import { Channel, type Heard, type Listener } from './channel.ts'

export interface ConversationStreamParts {
  readonly feed: Pick<Feed, 'fresh' | 'missed' | 'entryId'>
  readonly coalesceMs: number
  /** How long a hole may take to close by itself: two processes publish, and one was faster. */
  readonly holeMs: number
  readonly retryMs: number
  /** With more listeners than this, nobody hears of typing, or of receipts. */
  readonly typingLimit: number
  readonly receiptsLimit: number
  /** Whether so many bytes may be spent on frames of this user that are kept nowhere. */
  mayPass(appId: string, sender: string, bytes: number): boolean
  onRepair(entries: number): void
  onLeft(followed: FollowedConversation): void
  onError(error: unknown): void
}

const maxPerRead = 200

/**
 * Passes a conversation on in the order of its log. What is heard may be late, doubled or lost:
 * only the next seq is passed on, and what is missing is read.
 */
export class ConversationStream {
  readonly followed: FollowedConversation
  readonly channel: Channel
  readonly #parts: ConversationStreamParts
  /** Heard, and not yet passed on. */
  readonly #heard = new Map<number, AppendedEntry>()
  #begun: Position | undefined
  #seq = 0
  #change = 0
  #mustRead = false
  #working = false
  #ended = false
  #atRest: (() => void)[] = []
  #waiting: { readonly seq: number; readonly resolve: () => void }[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(followed: FollowedConversation, parts: ConversationStreamParts) {
    this.followed = followed
    this.#parts = parts
    this.channel = new Channel(parts.coalesceMs)
  }

  /** Everything behind this was passed on, to those who listened. */
  get begun(): Position | undefined {
    return this.#begun
  }

  /** From here on. Whoever comes first says where. */
  begin(at: Position): Position {
    if (this.#begun) return this.#begun
    this.#begun = { seq: at.seq, change: at.change }
    this.#seq = at.seq
    this.#change = at.change
    this.channel.passed(this.#begun)
    this.#wake()
    return this.#begun
  }

  hear(signal: ConversationSignal): void {
    switch (signal.is) {
      case 'entries':
        for (const entry of signal.entries) this.#heard.set(entry.seq, entry)
        this.#wake()
        break
      case 'behind':
        this.read()
        break
      case 'receipt':
        void this.#passReceipt(signal.receipt).catch(this.#parts.onError)
        break
      case 'frame':
        this.#passFrame(signal.sender, signal.text)
        break
      case 'reset':
        this.#sendToAll(this.#reload())
        break
      case 'gone':
        this.gone()
    }
  }

  /** There is more in the log than was heard. */
  compare(head: Position): void {
    if (this.#begun && (head.seq > this.#seq || head.change > this.#change)) this.read()
  }

  read(): void {
    this.#mustRead = true
    this.#wake()
  }

  /** Resolves when what is in the log now has been passed on, or could not be read. */
  async readNow(): Promise<void> {
    if (!this.#begun || this.#ended) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#atRest.push(resolve)
    this.read()
    await promise
  }

  /** Resolves when this entry has been passed on. */
  async passed(seq: number): Promise<void> {
    if (this.#seq >= seq || this.#ended) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ seq, resolve })
    await promise
  }

  /** The conversation does not exist any more. */
  gone(): void {
    for (const listener of [...this.channel.listeners()]) this.dismiss(listener)
  }

  /** The conversation is not theirs any more: the last they hear of it. */
  dismiss(listener: Listener): void {
    if (!this.channel.remove(listener)) return
    listener.write(framed(print({ type: 'left', conversationId: this.followed.label })), 1)
    listener.unfollow(this.followed.key)
    this.#parts.onLeft(this.followed)
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.channel.flush()
    this.#resolveWaiting()
  }

  #wake(): void {
    if (this.#working || !this.#begun || this.#ended) return
    this.#working = true
    void this.#work().catch((error) => {
      this.#parts.onError(error)
      this.#mustRead = true
      this.#later(this.#parts.retryMs)
    })
  }

  #later(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#mustRead ||= this.#heard.size > 0
      this.#wake()
    }, ms)
  }

  async #work(): Promise<void> {
    try {
      while (!this.#ended) {
        const next = this.#takeNext()
        if (next.length > 0) await this.#passNext(next)
        else if (this.#mustRead) await this.#readMissed()
        else break
      }
      if (this.#heard.size > 0) this.#later(this.#parts.holeMs)
    } finally {
      this.#working = false
      for (const resolve of this.#atRest.splice(0)) resolve()
    }
  }

  async #passNext(next: readonly AppendedEntry[]): Promise<void> {
    const viewers = this.#viewers()
    this.#passEntries(await this.#parts.feed.fresh(this.followed, next, viewers), viewers)
  }

  /** What was heard and comes next, without a hole. */
  #takeNext(): AppendedEntry[] {
    const next: AppendedEntry[] = []
    for (const seq of this.#heard.keys()) if (seq <= this.#seq) this.#heard.delete(seq)
    for (let seq = this.#seq + 1; ; seq++) {
      const entry = this.#heard.get(seq)
      if (!entry) break
      if (entry.data === null) {
        // Too large to travel.
        this.#mustRead = next.length === 0 || this.#mustRead
        break
      }
      this.#heard.delete(seq)
      next.push(entry)
    }
    return next
  }

  async #readMissed(): Promise<void> {
    this.#mustRead = false
    const since = { seq: this.#seq, change: this.#change, resetSeq: 0 }
    const viewers = this.#viewers()
    const { feed } = this.#parts
    const { changed, entries } = await feed.missed(this.followed, since, viewers, maxPerRead)
    if (changed.length === maxPerRead || entries.length === maxPerRead) this.#mustRead = true
    if (entries.length > 0) this.#parts.onRepair(entries.length)
    // Entries first: whoever leaves with one of them does not hear of the changes.
    this.#passEntries(entries, viewers)
    this.#passChanges(changed, viewers)
  }

  /** Once for a whole group; between two users each is shown it their own way. */
  #viewers(): Viewers {
    if (this.followed.receiver.kind === 'group') return [undefined]
    return [...new Set([...this.channel.listeners()].map(({ uid }) => uid))]
  }

  #passEntries(entries: readonly SerialisedEntry[], viewers: Viewers): void {
    let ready: SerialisedEntry[] = []
    for (const entry of entries) {
      if (entry.seq <= this.#seq) continue
      this.#seq = entry.seq
      ready.push(entry)
      if (entry.departs === undefined) continue
      this.#pass('message', ready, viewers)
      ready = []
      for (const listener of [...this.channel.listeners()]) {
        if (listener.uid === entry.departs) this.dismiss(listener)
      }
    }
    this.#pass('message', ready, viewers)
    this.channel.passed({ seq: this.#seq, change: this.#change })
    this.#resolveWaiting()
  }

  #resolveWaiting(): void {
    const done = this.#waiting.filter(({ seq }) => seq <= this.#seq || this.#ended)
    if (done.length === 0) return
    this.#waiting = this.#waiting.filter((one) => !done.includes(one))
    for (const { resolve } of done) resolve()
  }

  #passChanges(changed: readonly SerialisedEntry[], viewers: Viewers): void {
    this.#pass('changed', changed, viewers)
    this.#change = Math.max(this.#change, changed.at(-1)?.change ?? 0)
    this.channel.passed({ seq: this.#seq, change: this.#change })
  }

  #pass(type: 'message' | 'changed', entries: readonly SerialisedEntry[], viewers: Viewers): void {
    if (entries.length === 0) return
    const senders = new Set(entries.flatMap(({ own }) => own?.uid ?? []))
    for (const [place, viewer] of viewers.entries()) {
      const heard = entries.map((entry) => this.#frameOf(type, entry, entry.texts[place]))
      if (viewer !== undefined) this.channel.sendTo(heard, ({ uid }) => uid === viewer)
      else if (senders.size === 0) this.channel.send(heard)
      else this.channel.sendTo(heard, ({ uid }) => !senders.has(uid))
    }
    for (const sender of senders) {
      const heard = entries.map((entry) => this.#frameOf(type, entry, ownText(entry, sender)))
      this.channel.sendTo(heard, ({ uid }) => uid === sender)
    }
  }

  #frameOf(type: 'message' | 'changed', { seq, change }: SerialisedEntry, shown = ''): Heard {
    const at = { seq, change: type === 'message' ? this.#change : change }
    const text = serialiseEntryFrame(type, this.followed.label, at, shown)
    return { bytes: framed(text), ...(type === 'message' ? { seq } : { change }) }
  }

  async #passReceipt({ kind, uid, seq, at }: ReceiptSignal): Promise<void> {
    const { size } = this.channel
    if (size === 0 || size > this.#parts.receiptsLimit) return
    const id = await this.#parts.feed.entryId(this.followed, seq)
    if (id === undefined) return
    const conversationId = this.followed.label
    this.#sendToAll(print({ type: 'receipt', conversationId, kind, uid, messageId: `${id}`, at }))
  }

  #passFrame(sender: string, text: string): void {
    const { size } = this.channel
    if (size === 0 || size > this.#parts.typingLimit) return
    const bytes = framed(text)
    if (!this.#parts.mayPass(this.followed.appId, sender, bytes.length * size)) return
    this.channel.sendTo([{ bytes }], ({ uid }) => uid !== sender)
  }

  #reload(): string {
    const position = { seq: this.#seq, change: this.#change }
    return print({ type: 'reload', conversationId: this.followed.label, position })
  }

  #sendToAll(text: string): void {
    this.channel.send([{ bytes: framed(text) }])
  }
}

/** Only in groups, where all others are shown the first text. */
function ownText({ own, texts }: SerialisedEntry, uid: string): string | undefined {
  return own?.uid === uid ? own.text : texts[0]
}
