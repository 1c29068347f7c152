import type { Readable } from 'node:stream'
import { badRequest } from '../pipeline/failure.ts'

/** A part of a form. Its bytes are read as they come, before the next part is asked for. */
export interface FormPart {
  readonly name: string
  /** Undefined: it is a field. */
  readonly fileName: string | undefined
  /** Undefined: it was not said. */
  readonly type: string | undefined
  readonly bytes: AsyncGenerator<Buffer>
}

const maxHeaderBytes = 8192
/** What may stand behind the last part, so that the connection can be used again. */
const maxEpilogueBytes = 65_536

/** The parts of `multipart/form-data`, one after the other: no more is kept than what has just come. */
export async function* readParts(stream: Readable, contentType: string): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  const source = new Source(stream)
  try {
    // What stands before the first part says nothing.
    await skip(source.until(delimiter))
    while (await source.hasPart()) {
      const bytes = source.until(delimiter)
      yield { ...describedBy(await source.header()), bytes }
      await skip(bytes)
    }
    await source.end()
  } finally {
    await source.close()
  }
}

async function skip(bytes: AsyncGenerator<Buffer>): Promise<void> {
  for await (const _ of bytes);
}

class Source {
  readonly #chunks: AsyncIterator<Buffer>
  // The first delimiter has no line before it.
  #buffer: Buffer = Buffer.from('\r\n')

  constructor(stream: Readable) {
    // The answer still goes out on the same connection.
    this.#chunks = stream.iterator({ destroyOnReturn: false })
  }

  async *until(delimiter: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#buffer.indexOf(delimiter)
      if (at >= 0) {
        const last = this.#take(at)
        this.#take(delimiter.length)
        if (last.length > 0) yield last
        return
      }
      // A delimiter may begin in what is left.
      const sure = this.#buffer.length - delimiter.length + 1
      if (sure > 0) yield this.#take(sure)
      await this.#more()
    }
  }

  async hasPart(): Promise<boolean> {
    while (this.#buffer.length < 2) await this.#more()
    return this.#buffer.subarray(0, 2).toString('latin1') !== '--'
  }

  async header(): Promise<string> {
    for (;;) {
      const at = this.#buffer.indexOf('\r\n\r\n')
      if (at > maxHeaderBytes || (at < 0 && this.#buffer.length > maxHeaderBytes + 4)) {
        throw badRequest('body', 'The header of a part is too long.')
      }
      if (at >= 0) {
        const header = this.#take(at).toString('utf8')
        this.#take(4)
        return header
      }
      await this.#more()
    }
  }

  async end(): Promise<void> {
    for (let bytes = this.#buffer.length; bytes < maxEpilogueBytes; ) {
      const { done, value } = await this.#chunks.next()
      if (done) return
      bytes += value.length
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw badRequest('body', 'The form is not whole.')
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value])
  }

  #take(length: number): Buffer {
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    return taken
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw badRequest('content-type', 'The form has no boundary.')
  return boundary
}

function describedBy(header: string): Omit<FormPart, 'bytes'> {
  const lines = new Map(
    header.split('\r\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? []
      return [name.toLowerCase().trim(), value] as const
    }),
  )
  const disposition = lines.get('content-disposition') ?? ''
  const parameters = parametersOf(disposition)
  const name = parameters.get('name')
  if (!/^form-data\b/i.test(disposition) || name === undefined) {
    throw badRequest('body', 'A part of the form has no name.')
  }
  const type = lines.get('content-type')
  return { name, fileName: fileNameIn(parameters), type }
}

function parametersOf(disposition: string): ReadonlyMap<string, string> {
  const found = disposition.matchAll(/;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g)
  return new Map(
    Array.from(found, ([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      quoted === undefined ? plain : unescaped(quoted),
    ]),
  )
}

/** Browsers write `%22` for a quotation mark, others a backslash before it. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(["\\])/g, '$1').replaceAll(/%22|%0D|%0A/gi, (code) => {
    return code === '%22' ? '"' : ' '
  })
}

function fileNameIn(parameters: ReadonlyMap<string, string>): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(parameters.get('filename*') ?? '') ?? []
  if (encoded === undefined) return parameters.get('filename')
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw badRequest('body', 'The name of a file cannot be decoded.')
  }
}
