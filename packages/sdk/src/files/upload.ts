import type { DeviceClient } from '../clients.ts'
import type { OperationOutputs } from '../contract.generated.ts'
import { ChoraleError, isPassing, SessionError } from '../errors.ts'
import type { Ask } from '../session/ask.ts'
import { type Backoff, delayOf } from '../session/backoff.ts'
import { type Outcome, openOutcome } from '../session/outcome.ts'
import { openSource, type Source, type UploadSource } from './source.ts'
import { type Instruction, TransferError, transfer } from './transfer.ts'

/** The calls that an upload makes: those of any client. */
export type UploadCalls = Pick<
  DeviceClient,
  'createUpload' | 'getUpload' | 'completeUpload' | 'cancelUpload'
>

/** An upload, as the service answers it. */
export type Upload = OperationOutputs['createUpload']['data']

/** How much of a file has come. */
export interface UploadProgress {
  /** Bytes that were sent. */
  readonly sent: number
  /** Bytes of the file. */
  readonly size: number
}

/** What `upload` takes beside the file. */
export interface UploadOptions {
  /** As readers see it; that of the file unless given. */
  readonly name?: string
  /** As in `image/png`; that of the file unless given. */
  readonly mimeType?: string
  /** To learn at once that a message to this receiver would be refused. */
  readonly receiver?: string
  /** Of the receiver. */
  readonly receiverType?: 'user' | 'group'
  /** Called whenever more was sent. */
  readonly onProgress?: (progress: UploadProgress) => void
  /** An upload that was begun earlier, with the same file: what is there is not sent again. */
  readonly uploadId?: string
  /** For servers: whose file it is. */
  readonly onBehalfOf?: string
  /** How many attempts in a row may fail before the upload does; 10 unless said. */
  readonly retries?: number
  /** Between attempts: a random part of a window that doubles each time. */
  readonly backoff?: Partial<Backoff>
  /** How many parts are sent at once; 3 unless said. */
  readonly partsAtOnce?: number
  /** That of the runtime unless given. */
  readonly fetch?: typeof fetch
}

/** A file on its way. */
export interface FileUpload {
  /** What has become of it. */
  readonly state: 'running' | 'paused' | 'done' | 'failed' | 'cancelled'
  /** How much has come. */
  readonly progress: UploadProgress
  /** Undefined until the service has named it. */
  readonly uploadId: string | undefined
  /** Once all bytes are there and a message may name it. Rejects when it is refused or cancelled. */
  readonly done: Promise<Upload>
  /** Sends nothing until `resume`. */
  pause(): void
  /** Goes on where it was. */
  resume(): void
  /** Ends it, and removes what has come. */
  cancel(): Promise<void>
}

/** Uploads a file, by a client or a session: in parts where it is large, again where it was cut off. */
export function upload(
  by: UploadCalls | { readonly call: Ask },
  file: UploadSource,
  options: UploadOptions = {},
): FileUpload {
  return new Uploading('call' in by ? callsOf(by.call) : by, file, options)
}

function callsOf(call: Ask): UploadCalls {
  return {
    createUpload: (...input) => call('createUpload', ...input),
    getUpload: (...input) => call('getUpload', ...input),
    completeUpload: (...input) => call('completeUpload', ...input),
    cancelUpload: (...input) => call('cancelUpload', ...input),
  }
}

class Uploading implements FileUpload {
  readonly done: Promise<Upload>
  readonly #calls: UploadCalls
  readonly #options: UploadOptions
  readonly #under: Map<number, number> = new Map()
  #state: FileUpload['state'] = 'running'
  #uploadId: string | undefined
  #size = 0
  #received = 0
  #abort = new AbortController()
  #resumed: Outcome<void> | undefined

  constructor(calls: UploadCalls, file: UploadSource, options: UploadOptions) {
    this.#calls = calls
    this.#options = options
    this.#uploadId = options.uploadId
    this.done = this.#run(file).then(
      (upload) => this.#end('done', upload),
      (error) => {
        this.#end('failed', undefined)
        throw error
      },
    )
    // Whoever does not look at it may look at the state.
    this.done.catch(() => undefined)
  }

  get state() {
    return this.#state
  }

  get uploadId() {
    return this.#uploadId
  }

  get progress(): UploadProgress {
    let sent = this.#received
    for (const bytes of this.#under.values()) sent += bytes
    return { sent, size: this.#size }
  }

  pause(): void {
    if (this.#state !== 'running') return
    this.#state = 'paused'
    this.#resumed = openOutcome()
    this.#abort.abort()
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'running'
    this.#abort = new AbortController()
    this.#resumed?.resolve()
  }

  async cancel(): Promise<void> {
    if (this.#state !== 'running' && this.#state !== 'paused') return
    this.#state = 'cancelled'
    this.#abort.abort()
    this.#resumed?.resolve()
    await this.done.catch(() => undefined)
    const uploadId = this.#uploadId
    if (uploadId !== undefined) await this.#calls.cancelUpload(this.#named({ uploadId }))
  }

  async #run(file: UploadSource): Promise<Upload> {
    const { retries = 10, backoff } = this.#options
    const source = await openSource(file, this.#options)
    this.#size = source.size
    const windows = { baseMs: 500, maxMs: 30_000, random: Math.random, ...backoff }
    for (let failures = 0; ; ) {
      await this.#turn()
      const before = this.#received
      try {
        const finished = await this.#attempt(source)
        if (finished) return finished
        failures = 0
      } catch (error) {
        if (this.#state !== 'running') continue
        if (this.#received > before) failures = 0
        if (!mayPass(error) || failures >= retries) throw error
        await new Promise((resolve) => setTimeout(resolve, delayOf(failures++, windows)))
      }
    }
  }

  /** Waits while it is paused. */
  async #turn(): Promise<void> {
    while (this.#state === 'paused') await this.#resumed?.promise
    if (this.#state === 'cancelled') throw new SessionError('cancelled')
  }

  /** Undefined: there are more parts. */
  async #attempt(source: Source): Promise<Upload | undefined> {
    const upload = await this.#ask(source)
    const { uploadId, state, put, parts } = upload
    if (state !== 'waiting') return upload
    if (put) await this.#bring(source, { number: 1, ...put }, source.size)
    if (parts) {
      this.#received = parts.received.reduce((sum, n) => sum + sizeOf(n, parts.size, source), 0)
      await this.#bringAll(source, parts)
      if (parts.received.length + parts.put.length < parts.count) return undefined
    }
    return (await this.#calls.completeUpload(this.#named({ uploadId }))).data
  }

  async #ask({ name, size, type }: Source): Promise<Upload> {
    const uploadId = this.#uploadId
    if (uploadId !== undefined) {
      return (await this.#calls.getUpload(this.#named({ uploadId }))).data
    }
    const { receiver, receiverType, onBehalfOf } = this.#options
    const { data } = await this.#calls.createUpload({
      body: {
        name,
        size,
        ...(type !== undefined && { mimeType: type }),
        ...(receiver !== undefined && receiverType && { receiver, receiverType }),
      },
      ...(onBehalfOf !== undefined && { onBehalfOf }),
    })
    this.#uploadId = data.uploadId
    return data
  }

  /** Some at once; what others have brought before one failed is not lost. */
  async #bringAll(source: Source, { size, put }: NonNullable<Upload['parts']>): Promise<void> {
    const { partsAtOnce = 3 } = this.#options
    const next = put.values()
    const work = async () => {
      for (const part of next) await this.#bring(source, part, size)
    }
    const workers = Array.from({ length: source.inOrder ? 1 : partsAtOnce }, work)
    const outcomes = await Promise.allSettled(workers)
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  async #bring(
    source: Source,
    part: Instruction & { readonly number: number },
    size: number,
  ): Promise<void> {
    const { fetch } = this.#options
    const { number } = part
    const from = (number - 1) * size
    const bytes = await source.part(from, from + sizeOf(number, size, source))
    try {
      await transfer(part, bytes, {
        fetch,
        signal: this.#abort.signal,
        onProgress: (sent) => {
          this.#under.set(number, sent)
          this.#tell()
        },
      })
      this.#received += bytes.size
    } finally {
      this.#under.delete(number)
      this.#tell()
    }
  }

  #tell(): void {
    this.#options.onProgress?.(this.progress)
  }

  #named(params: { readonly uploadId: string }) {
    const { onBehalfOf } = this.#options
    return { params, ...(onBehalfOf !== undefined && { onBehalfOf }) }
  }

  #end<T>(state: 'done' | 'failed', result: T): T {
    if (this.#state !== 'cancelled') this.#state = state
    if (state === 'done') this.#received = this.#size
    return result
  }
}

/** Of a part, counted from 1. */
function sizeOf(number: number, partSize: number, { size }: Source): number {
  return Math.min(partSize, size - (number - 1) * partSize)
}

/** An address may have expired, a part may be missing after all, a network may come back. */
function mayPass(error: unknown): boolean {
  if (error instanceof TransferError) {
    return [403, 404, 408, 409, 425, 429].includes(error.status) || error.status >= 500
  }
  if (error instanceof SessionError) return error.code !== 'closed' && error.code !== 'cancelled'
  if (error instanceof ChoraleError) {
    return isPassing(error) || error.code === 'ERR_UPLOAD_NOT_READY'
  }
  return !(error instanceof RangeError)
}
