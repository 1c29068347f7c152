import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Encrypter } from 'age-encryption'
import { type Item, lineOf } from './format.ts'
import type { Part } from './manifest.ts'
import { chunksOf } from './web-streams.ts'

/** A part of an archive while it is written. Nobody counts on it before it is closed. */
export class PartWriter {
  readonly #file: string
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>
  readonly #written: Promise<void>
  readonly #hash = createHash('sha256')
  #lines = 0
  /** As it is stored. */
  #bytes = 0

  private constructor(
    folder: string,
    file: string,
    writer: WritableStreamDefaultWriter<Uint8Array>,
    stored: ReadableStream<Uint8Array>,
  ) {
    this.#file = file
    this.#writer = writer
    const counted = new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.#hash.update(chunk)
        this.#bytes += chunk.length
        done(undefined, chunk)
      },
    })
    const target = createWriteStream(join(folder, file), { flush: true, mode: 0o600 })
    this.#written = pipeline(chunksOf(stored), counted, target)
    // Whoever writes or closes hears of it.
    this.#written.catch((error: unknown) => writer.abort(error).catch(() => undefined))
  }

  static async open(
    folder: string,
    number: number,
    recipients: readonly string[],
  ): Promise<PartWriter> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const isEncrypted = recipients.length > 0
    const stored = isEncrypted ? await encrypted(readable, recipients) : readable
    const name = `part-${String(number).padStart(5, '0')}.ndjson${isEncrypted ? '.age' : ''}`
    return new PartWriter(folder, name, writable.getWriter(), stored)
  }

  get lines(): number {
    return this.#lines
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Waits until the file has taken it. */
  async write(items: readonly Item[]): Promise<void> {
    const texts = items.map((item) => {
      this.#lines += 1
      return `${lineOf(this.#lines, item)}\n`
    })
    await this.#writer.ready
    await this.#writer.write(Buffer.from(texts.join('')))
  }

  async close(): Promise<Part> {
    await this.#writer.close()
    await this.#written
    const sha256 = this.#hash.digest('hex')
    return { file: this.#file, lines: this.#lines, bytes: this.#bytes, sha256 }
  }
}

function encrypted(plain: ReadableStream<Uint8Array>, recipients: readonly string[]) {
  const encrypter = new Encrypter()
  for (const one of recipients) encrypter.addRecipient(one)
  return encrypter.encrypt(plain)
}
