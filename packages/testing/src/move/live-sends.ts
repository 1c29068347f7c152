import { setTimeout as sleep } from 'node:timers/promises'

interface Talk {
  readonly sender: string
  readonly receiver: string
}

interface LiveOptions {
  /** `http://host:port`; asked before each try. */
  readonly origin: () => string
  readonly appId: string
  readonly apiKey: string
  readonly perSecond: number
  /** Into which group the message goes, and from whom. */
  talk(nth: number): Talk
}

/** A message that was answered with 200. */
interface Acknowledged {
  readonly muid: string
  readonly id: string
  readonly sender: string
  readonly receiver: string
}

/** Sends that go on, whatever is moved; each is repeated until it is acknowledged. */
export class LiveSends {
  readonly acknowledged: Acknowledged[] = []
  /** When calls were refused with 503 and `Retry-After`. */
  readonly refusedAt: number[] = []
  /** Any other answer, and connections that were lost. */
  readonly failures = new Map<string, number>()
  readonly #options: LiveOptions
  readonly #underWay = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  #count = 0

  constructor(options: LiveOptions) {
    this.#options = options
    const startedAt = performance.now()
    // By the clock: a timer that is late makes up for it.
    this.#timer = setInterval(() => {
      const due = ((performance.now() - startedAt) / 1000) * options.perSecond
      while (this.#count < due) this.#begin()
    }, 1000 / options.perSecond)
  }

  #begin(): void {
    const sending = this.#send(this.#count++)
    this.#underWay.add(sending)
    void sending.finally(() => this.#underWay.delete(sending))
  }

  /** Resolves when all that were begun are acknowledged. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#underWay)
  }

  /** From the first refusal to the last. */
  get refusedMs(): number {
    return (this.refusedAt.at(-1) ?? 0) - (this.refusedAt[0] ?? 0)
  }

  async #send(nth: number): Promise<void> {
    const { sender, receiver } = this.#options.talk(nth)
    const muid = `live-${nth}`
    for (;;) {
      const id = await this.#try(sender, receiver, muid).catch((error: Error) => {
        this.#failed(String(error.cause ?? error))
        return undefined
      })
      if (id !== undefined) {
        this.acknowledged.push({ muid, id, sender, receiver })
        return
      }
      // Sooner than `Retry-After` asks for: how long writes are refused is measured.
      await sleep(100)
    }
  }

  async #try(sender: string, receiver: string, muid: string): Promise<string | undefined> {
    const { origin, appId, apiKey } = this.#options
    const response = await fetch(`${origin()}/v3/messages`, {
      method: 'POST',
      headers: { appId, apikey: apiKey, onBehalfOf: sender, 'content-type': 'application/json' },
      body: JSON.stringify({ receiver, receiverType: 'group', muid, data: { text: muid } }),
    })
    const { data } = await response.json()
    if (response.status === 200) return data.id
    if (response.status === 503 && response.headers.has('retry-after')) {
      this.refusedAt.push(performance.now())
    } else this.#failed(`${response.status}`)
    return undefined
  }

  #failed(why: string): void {
    this.failures.set(why, (this.failures.get(why) ?? 0) + 1)
  }
}
