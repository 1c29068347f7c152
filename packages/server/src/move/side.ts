import { setTimeout as sleep } from 'node:timers/promises'
import { PlainError } from '../plain-error.ts'

/** One of the two services, with a full-access key of the app there. */
export interface SideOptions {
  /** Up to the version: `https://host/v3`. */
  readonly url: string
  readonly appId: string
  readonly apiKey: string
  /** Calls under way at the same time. */
  readonly parallel: number
}

/** A call that was refused, and would be again. */
export class Refused extends PlainError {
  readonly status: number
  readonly code: string

  constructor(call: string, status: number, code: string) {
    super(`${call} was refused: ${status} ${code}`)
    this.status = status
    this.code = code
  }
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

const callTimeoutMs = 120_000
const firstPauseMs = 250
const longestPauseMs = 30_000
/** With the longest pauses, a quarter of an hour. */
const maxFailures = 40

/** What a side was asked, and how it went. */
export interface Tally {
  calls: number
  limited: number
  failed: number
}

/**
 * Calls of the published REST interface. Waits where the service says that there were too many, and
 * tries again after failures: only calls that may be repeated go through here.
 */
export class Side {
  readonly tally: Tally = { calls: 0, limited: 0, failed: 0 }
  readonly #options: SideOptions
  readonly #waiting: (() => void)[] = []
  #free: number
  /** Nothing is asked before. */
  #resumeAt = 0

  constructor(options: SideOptions) {
    this.#options = options
    this.#free = options.parallel
  }

  get appId(): string {
    return this.#options.appId
  }

  get url(): string {
    return this.#options.url
  }

  get<T>(path: string, query: Query = {}, onBehalfOf?: string): Promise<T> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
    return this.#call('GET', given.length > 0 ? `${path}?${search}` : path, undefined, onBehalfOf)
  }

  post<T>(path: string, body: object, onBehalfOf?: string): Promise<T> {
    return this.#call('POST', path, body, onBehalfOf)
  }

  put<T>(path: string, body: object): Promise<T> {
    return this.#call('PUT', path, body, undefined)
  }

  delete<T>(path: string, onBehalfOf?: string, body?: object): Promise<T> {
    return this.#call('DELETE', path, body, onBehalfOf)
  }

  async #call<T>(
    method: string,
    path: string,
    body: object | undefined,
    onBehalfOf: string | undefined,
  ): Promise<T> {
    await this.#enter()
    try {
      for (let failures = 0; ; ) {
        if (Date.now() < this.#resumeAt) await sleep(this.#resumeAt - Date.now())
        const answer = await this.#once<T>(method, path, body, onBehalfOf)
        if (answer.done) return answer.value
        if (answer.waitMs === undefined) failures += 1
        if (failures > maxFailures) throw answer.error
        await sleep(answer.waitMs ?? Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)))
      }
    } finally {
      this.#leave()
    }
  }

  async #once<T>(
    method: string,
    path: string,
    body: object | undefined,
    onBehalfOf: string | undefined,
  ): Promise<Answer<T>> {
    const { url, appId, apiKey } = this.#options
    this.tally.calls += 1
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          appId,
          apikey: apiKey,
          ...(onBehalfOf !== undefined && { onBehalfOf }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(callTimeoutMs),
      })
      const text = await response.text()
      if (response.ok) return { done: true, value: JSON.parse(text) }
      const error = new Refused(`${method} ${path}`, response.status, codeIn(text))
      if (response.status === 429) return this.#limited(response, error)
      if (response.status < 500 && response.status !== 408) throw error
      this.tally.failed += 1
      return { done: false, error }
    } catch (error) {
      if (error instanceof Refused) throw error
      // A connection that was cut, or an answer that ends in the middle.
      this.tally.failed += 1
      return { done: false, error }
    }
  }

  #limited<T>(response: Response, error: Refused): Answer<T> {
    this.tally.limited += 1
    const seconds = Number(response.headers.get('retry-after') ?? 5)
    const waitMs = (Number.isFinite(seconds) ? seconds : 5) * 1000 + Math.random() * 250
    this.#resumeAt = Math.max(this.#resumeAt, Date.now() + waitMs)
    return { done: false, error, waitMs }
  }

  async #enter(): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}

type Answer<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly error: unknown; readonly waitMs?: number }

function codeIn(text: string): string {
  try {
    return String(JSON.parse(text).error?.code ?? '')
  } catch {
    return ''
  }
}
