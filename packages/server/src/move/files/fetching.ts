import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlainError } from '../../plain-error.ts'
import type { FileHosts } from './links.ts'

/** What is known of a file before its bytes come. */
export interface Announced {
  /** Undefined: the answer does not say. */
  readonly size: number | undefined
  readonly type: string | undefined
}

export type Fetched =
  | { readonly is: 'whole'; readonly size: number; readonly type: string | undefined }
  | { readonly is: 'left'; readonly why: string }

type Answer = Fetched | { readonly is: 'again'; readonly why: string; readonly waitMs?: number }

interface Patience {
  /** Without a byte for so long, a connection is given up. */
  readonly silenceMs: number
  /** After the first failure; then twice as long each time. */
  readonly pauseMs: number
}

const usualPatience: Patience = { silenceMs: 30_000, pauseMs: 250 }
const maxFailures = 6
const maxRedirects = 5
const longestWaitMs = 600_000
/** Of a file whose size nobody has said: so much of the disk at most. */
const maxUnannounced = 1024 ** 3

/** Gets files by their links, at no more than so many a second; never from a host that is not named. */
export class FileFetcher {
  readonly #hosts: FileHosts
  readonly #everyMs: number
  readonly #patience: Patience
  /** Nothing is asked before. */
  #nextAt = 0

  constructor(hosts: FileHosts, perSecond: number, patience: Patience = usualPatience) {
    this.#hosts = hosts
    this.#everyMs = 1000 / perSecond
    this.#patience = patience
  }

  /** Into a file on disk. `expect` is told first what comes; what it answers is why nothing shall. */
  async get(
    url: string,
    path: string,
    expect: (announced: Announced) => Promise<string | undefined>,
  ): Promise<Fetched> {
    for (let failures = 0; ; ) {
      await this.#turn()
      const answer = await this.#once(url, path, expect)
      if (answer.is !== 'again') return answer
      if (answer.waitMs !== undefined) this.#nextAt = Date.now() + answer.waitMs
      else failures += 1
      if (failures === maxFailures) return { is: 'left', why: answer.why }
      if (answer.waitMs === undefined) await sleep(this.#patience.pauseMs * 2 ** (failures - 1))
    }
  }

  async #turn(): Promise<void> {
    for (;;) {
      const now = Date.now()
      const wait = this.#nextAt - now
      if (wait <= 0) {
        this.#nextAt = now + this.#everyMs
        return
      }
      await sleep(wait)
    }
  }

  async #once(
    url: string,
    path: string,
    expect: (announced: Announced) => Promise<string | undefined>,
  ): Promise<Answer> {
    const silence = new AbortController()
    const end = () => silence.abort(new Error('No byte came for too long.'))
    const timer = setTimeout(end, this.#patience.silenceMs)
    try {
      const response = await this.#follow(url, silence.signal)
      if (!(response instanceof Response)) return response
      const objection = objectionTo(response)
      if (objection) {
        await response.body?.cancel()
        return objection
      }
      const announced = announcedBy(response)
      timer.refresh()
      const why = await expect(announced)
      if (why !== undefined) {
        await response.body?.cancel()
        return { is: 'left', why }
      }
      const size = await write(response, path, announced.size, () => timer.refresh())
      if (size === undefined) return { is: 'left', why: 'is too large' }
      if (size !== (announced.size ?? size)) return { is: 'again', why: 'is cut off' }
      return { is: 'whole', size, type: announced.type }
    } catch (error) {
      if (!isOfNetwork(error)) throw error
      return { is: 'again', why: `cannot be read: ${reasonOf(error)}` }
    } finally {
      clearTimeout(timer)
    }
  }

  /** A redirection leads to named hosts only: the link was written by a user. */
  async #follow(first: string, signal: AbortSignal): Promise<Response | Fetched> {
    let url = first
    for (let hops = 0; hops <= maxRedirects; hops++) {
      if (!this.#hosts.has(url)) {
        return { is: 'left', why: `leads to ${URL.parse(url)?.host}, which is not named` }
      }
      const headers = { 'accept-encoding': 'identity' }
      const response = await fetch(url, { redirect: 'manual', headers, signal })
      const to = response.headers.get('location')
      if (response.status < 300 || response.status > 399 || to === null) return response
      await response.body?.cancel()
      url = URL.parse(to, url)?.href ?? to
    }
    return { is: 'left', why: 'redirects too often' }
  }
}

/** Neither what `expect` has thrown nor a failure of the disk. */
function isOfNetwork(error: unknown): boolean {
  return error instanceof Error && !(error instanceof PlainError) && !('syscall' in error)
}

function reasonOf(error: unknown): string {
  const { message, cause } = Object(error)
  return String(Object(cause).code ?? message)
}

function objectionTo(response: Response): Answer | undefined {
  const { status, ok } = response
  if (ok && response.body) return undefined
  const why = `answers ${status}`
  const after = response.headers.get('retry-after')
  if (status === 429 || (status === 503 && after !== null)) {
    return { is: 'again', why, waitMs: waitOf(after) }
  }
  if (status >= 500 || status === 408) return { is: 'again', why }
  return { is: 'left', why }
}

/** Seconds, or a date. */
function waitOf(after: string | null): number {
  const seconds = Number(after ?? 5)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(after ?? '') - Date.now()
  return Number.isFinite(ms) ? Math.min(longestWaitMs, Math.max(100, ms)) : 5000
}

function announcedBy({ headers }: Response): Announced {
  const length = headers.get('content-length')
  const isPlain = (headers.get('content-encoding') ?? 'identity') === 'identity'
  return {
    size: isPlain && length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined,
    type: headers.get('content-type')?.split(';')[0]?.trim().toLowerCase(),
  }
}

/** How many bytes there were; undefined: too many. */
async function write(
  { body }: Response,
  path: string,
  announced: number | undefined,
  heard: () => void,
): Promise<number | undefined> {
  await using file = await open(path, 'w')
  let size = 0
  for await (const chunk of body ?? []) {
    heard()
    size += chunk.length
    if (size > (announced ?? maxUnannounced)) return undefined
    await file.writeFile(chunk)
  }
  return size
}
