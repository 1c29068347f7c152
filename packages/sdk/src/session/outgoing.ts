import type { Api } from '@chorale/contract/api'
import type { Message } from '@chorale/contract/conversations'
import type { CallInput } from '@chorale/contract/operation'
import { ChoraleError, SessionError } from '../errors.ts'
import { type Backoff, delayOf } from './backoff.ts'
import type { Target } from './targets.ts'

type Body = NonNullable<CallInput<Api['sendMessage']>['body']>

/** A message to be sent; with a `parentId` a reply in the thread of that message. */
export type Draft = Target &
  Omit<Body, keyof Target | 'multipleReceivers'> & { readonly parentId?: string }

/** A message on its way: to be shown at once, and found again by its muid. */
export interface Outgoing {
  readonly muid: string
  readonly draft: Draft
  readonly state: 'sending' | 'sent' | 'failed'
  /** As it is stored, once it is. */
  readonly message?: Message
  readonly error?: Error
}

export interface Sent {
  readonly muid: string
  /** Rejects when it was refused for good, or the session was closed. */
  readonly stored: Promise<Message>
}

export interface Outbox {
  send(draft: Draft): Sent
  /** Goes on sending: there is a connection again. */
  flush(): void
  /** A message of this user has come back, which is as good as an answer. */
  recognise(message: Message): void
  close(): void
}

export interface OutboxParts {
  readonly maxQueued: number
  readonly backoff: Backoff
  isOnline(): boolean
  submit(body: Draft & { readonly muid: string }): Promise<Message>
  onChange(outgoing: Outgoing): void
}

interface Item {
  readonly muid: string
  readonly draft: Draft
  readonly outcome: PromiseWithResolvers<Message>
  attempt: number
  isUnderWay: boolean
}

/** The service may take it later. */
const passing: readonly string[] = [
  'ERR_REQUEST_TIMEOUT',
  'ERR_TOO_MANY_REQUESTS',
  'ERR_MISSION_FAILED',
]

/** Keeps messages until they are stored. To each receiver one after the other, in the order said. */
export function openOutbox(parts: OutboxParts): Outbox {
  const items = new Map<string, Item>()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  let closed = false

  function flush(): void {
    const busy = new Set<string>()
    for (const item of items.values()) {
      const { receiver, receiverType } = item.draft
      const receiverKey = `${receiverType} ${receiver}`
      if (!busy.has(receiverKey) && !item.isUnderWay && parts.isOnline()) void submit(item)
      busy.add(receiverKey)
    }
  }

  async function submit(item: Item): Promise<void> {
    const { muid, draft } = item
    item.isUnderWay = true
    try {
      succeed(item, await parts.submit({ ...draft, muid }))
    } catch (error) {
      retry(item, error)
    }
    flush()
  }

  /** The same muid again: if it was stored after all, the answer is the stored message. */
  function retry(item: Item, error: unknown): void {
    if (error instanceof SessionError) {
      item.isUnderWay = false
    } else if (error instanceof ChoraleError && passing.includes(error.code)) {
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          item.isUnderWay = false
          flush()
        },
        delayOf(item.attempt++, parts.backoff),
      )
      timers.add(timer)
    } else fail(item, error as Error)
  }

  function succeed({ muid, draft, outcome }: Item, message: Message): void {
    if (!items.delete(muid)) return
    outcome.resolve(message)
    parts.onChange({ muid, draft, state: 'sent', message })
  }

  function fail({ muid, draft, outcome }: Item, error: Error): void {
    if (!items.delete(muid)) return
    outcome.reject(error)
    parts.onChange({ muid, draft, state: 'failed', error })
  }

  return {
    send(draft) {
      const muid = draft.muid ?? crypto.randomUUID()
      const known = items.get(muid)
      if (known) return { muid, stored: known.outcome.promise }
      const outcome = Promise.withResolvers<Message>()
      // Whoever does not look at it hears of a failure by the event.
      outcome.promise.catch(() => undefined)
      const item: Item = { muid, draft, outcome, attempt: 0, isUnderWay: false }
      if (closed || items.size >= parts.maxQueued) {
        throw new SessionError(closed ? 'closed' : 'queueFull')
      }
      items.set(muid, item)
      parts.onChange({ muid, draft, state: 'sending' })
      flush()
      return { muid, stored: outcome.promise }
    },
    flush,
    recognise(message) {
      const item = items.get(message.muid ?? '')
      if (item) succeed(item, message)
    },
    close() {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      for (const item of [...items.values()]) fail(item, new SessionError('closed'))
    },
  }
}
