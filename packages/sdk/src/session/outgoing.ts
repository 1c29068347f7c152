import type { Message, OperationInputs } from '../contract.generated.ts'
import { isPassing, SessionError } from '../errors.ts'
import type { UploadProgress } from '../files/upload.ts'
import { type Backoff, delayOf } from './backoff.ts'
import { newClientId } from './client-ids.ts'
import { type Outcome, openOutcome } from './outcome.ts'
import type { Target } from './targets.ts'

type Body = NonNullable<OperationInputs['sendMessage']['body']>

/** A message to be sent; with a `parentId` a reply in the thread of that message. */
export type Draft = Target &
  Omit<Body, keyof Target | 'multipleReceivers' | 'muid'> & {
    /** The message that this one replies to. */
    readonly parentId?: string
    /** Uploaded before it is sent, and named by it. */
    readonly files?: readonly (Blob & { readonly name?: string })[]
    /** Chosen by the session unless given. Sent twice, a message with the same one is stored once. */
    readonly clientId?: string
  }

/** A message on its way: to be shown at once, and found again by its client id. */
export interface Outgoing {
  /** The id by which it is known before it is stored. */
  readonly clientId: string
  /** As it was given to `send`. */
  readonly draft: Draft
  /** What has become of it. */
  readonly state: 'sending' | 'sent' | 'failed'
  /** Of its files, while they are uploaded. */
  readonly progress?: UploadProgress
  /** As it is stored, once it is. */
  readonly message?: Message
  /** Why it was refused. */
  readonly error?: Error
}

/** A message that was given to `send`. */
export interface Sent {
  /** The id by which it is known before it is stored. */
  readonly clientId: string
  /** Rejects when it was refused for good, or the session was closed. */
  readonly stored: Promise<Message>
}

export interface Outbox {
  send(draft: Draft): Sent
  /** Goes on sending: there is a connection again. */
  flush(): void
  /** A message of this user has come back, which is as good as an answer. */
  recognise(message: Message): void
  /** What an earlier session did not send goes first. */
  restore(drafts: readonly Draft[]): void
  /** What was restored is not this user's. */
  drop(): void
  close(): void
}

export interface OutboxParts {
  readonly maxQueued: number
  readonly backoff: Backoff
  isOnline(): boolean
  submit(body: Draft & { readonly clientId: string }): Promise<Message>
  onChange(outgoing: Outgoing): void
}

interface Item {
  readonly clientId: string
  readonly draft: Draft
  readonly outcome: Outcome<Message>
  attempt: number
  isUnderWay: boolean
}

/** Keeps messages until they are stored. To each receiver one after the other, in the order said. */
export function openOutbox(parts: OutboxParts): Outbox {
  return new MessageQueue(parts)
}

class MessageQueue implements Outbox {
  readonly #parts: OutboxParts
  readonly #items = new Map<string, Item>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #restored = new Set<string>()
  #closed = false

  constructor(parts: OutboxParts) {
    this.#parts = parts
  }

  send(draft: Draft): Sent {
    const clientId = draft.clientId ?? newClientId()
    const known = this.#items.get(clientId)
    if (known) return { clientId, stored: known.outcome.promise }
    if (this.#closed) throw new SessionError('closed')
    if (this.#items.size >= this.#parts.maxQueued) throw new SessionError('queueFull')
    const outcome = openOutcome<Message>()
    // Whoever does not look at it hears of a failure by the event.
    outcome.promise.catch(() => undefined)
    this.#items.set(clientId, { clientId, draft, outcome, attempt: 0, isUnderWay: false })
    this.#parts.onChange({ clientId, draft, state: 'sending' })
    this.flush()
    return { clientId, stored: outcome.promise }
  }

  restore(drafts: readonly Draft[]): void {
    if (this.#closed) return
    const later = [...this.#items]
    this.#items.clear()
    for (const draft of drafts) this.#restored.add(this.send(draft).clientId)
    for (const [clientId, item] of later) this.#items.set(clientId, item)
  }

  drop(): void {
    for (const clientId of this.#restored) {
      const item = this.#items.get(clientId)
      if (item) this.#fail(item, new SessionError('otherUser'))
    }
  }

  flush(): void {
    const busy = new Set<string>()
    for (const item of this.#items.values()) {
      const { receiver, receiverType } = item.draft
      const receiverKey = `${receiverType} ${receiver}`
      const isNext = !busy.has(receiverKey) && !item.isUnderWay
      if (isNext && this.#parts.isOnline()) void this.#submit(item)
      busy.add(receiverKey)
    }
  }

  recognise(message: Message): void {
    const item = this.#items.get(message.muid ?? '')
    if (item) this.#succeed(item, message)
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
    for (const item of [...this.#items.values()]) this.#fail(item, new SessionError('closed'))
  }

  async #submit(item: Item): Promise<void> {
    const { clientId, draft } = item
    item.isUnderWay = true
    try {
      this.#succeed(item, await this.#parts.submit({ ...draft, clientId }))
    } catch (error) {
      this.#retry(item, error)
    }
    this.flush()
  }

  /** The same client id again: if it was stored after all, the answer is the stored message. */
  #retry(item: Item, error: unknown): void {
    if (error instanceof SessionError) {
      item.isUnderWay = false
    } else if (isPassing(error)) {
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer)
          item.isUnderWay = false
          this.flush()
        },
        delayOf(item.attempt++, this.#parts.backoff),
      )
      this.#timers.add(timer)
    } else this.#fail(item, error as Error)
  }

  #succeed({ clientId, draft, outcome }: Item, message: Message): void {
    if (!this.#items.delete(clientId)) return
    outcome.resolve(message)
    this.#parts.onChange({ clientId, draft, state: 'sent', message })
  }

  #fail({ clientId, draft, outcome }: Item, error: Error): void {
    if (!this.#items.delete(clientId)) return
    outcome.reject(error)
    this.#parts.onChange({ clientId, draft, state: 'failed', error })
  }
}
