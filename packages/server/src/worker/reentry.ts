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

/** One may be gone from the stream: then nobody waits for ever. */
const maxMs = 30_000

/**
 * What was in hand comes again when NATS has given up on the dead, which may be after something newer
 * has come: until all of it is there everything waits, and then goes on in the order of the stream.
 */
export function openReentry({ count, upTo }: InHand): Reentry {
  const returned = new Set<number>()
  let waiting: { readonly seq: number; readonly goOn: () => void }[] = []
  let isOpen = count === 0
  const timer = isOpen ? undefined : setTimeout(letAllIn, maxMs)

  function letAllIn(): void {
    isOpen = true
    clearTimeout(timer)
    for (const { goOn } of waiting.toSorted((a, b) => a.seq - b.seq)) goOn()
    waiting = []
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
