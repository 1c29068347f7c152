/** Lets messages of a consumer in; those of before first. */
export interface Reentry extends Disposable {
  /** Resolves when it is the message's turn. */
  admit(seq: number): Promise<void>
}

export interface InHand {
  /** How many messages a process that is gone had in hand. */
  readonly count: number
  /** None of them lies behind this one. */
  readonly upTo: number
}

interface ReentryOptions {
  readonly inHand: InHand
  /** How many messages NATS waits for now: those that wait here among them. */
  readonly inHandNow: () => Promise<number>
}

const lookEveryMs = 250
/** While NATS cannot be asked, nobody waits for ever. */
const maxMs = 30_000

/**
 * What was in hand comes again when it was given back, or NATS has given up on the dead, which may be
 * after something newer has come: until all of it is there everything waits, and then goes on in the
 * order of the stream.
 */
export function openReentry({ inHand: { count, upTo }, inHandNow }: ReentryOptions): Reentry {
  const returned = new Set<number>()
  let waiting: { readonly seq: number; readonly goOn: () => void }[] = []
  let isOpen = count === 0
  const timer = isOpen ? undefined : setTimeout(letAllIn, maxMs)
  const look = isOpen ? undefined : setInterval(() => void compare(), lookEveryMs)

  function letAllIn(): void {
    isOpen = true
    clearTimeout(timer)
    clearInterval(look)
    for (const { goOn } of waiting.toSorted((a, b) => a.seq - b.seq)) goOn()
    waiting = []
  }

  /** One may have been acknowledged since it was counted, or be gone from the stream. */
  async function compare(): Promise<void> {
    // Counted before: NATS waits for each of these, and perhaps for more that came meanwhile.
    const here = new Set(waiting.map(({ seq }) => seq)).size
    // Asked again in a moment.
    const now = await inHandNow().catch(() => Number.POSITIVE_INFINITY)
    if (now <= here) letAllIn()
  }

  return {
    admit(seq) {
      if (isOpen) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ seq, goOn: resolve })
      if (seq <= upTo) returned.add(seq)
      // In a moment, when whoever asks waits like the others.
      if (returned.size >= count) queueMicrotask(letAllIn)
      return promise
    },
    [Symbol.dispose]: letAllIn,
  }
}
