import type { Readable } from 'node:stream'
import type { Caller } from '../pipeline/caller.ts'
import { badRequest, Failure } from '../pipeline/failure.ts'
import { inspectText, parseJson, readText } from '../pipeline/json.ts'
import { readParts } from './multipart.ts'
import { objectOfFields } from './url-encoded.ts'

/** A file that came in a form, and is stored. */
interface StoredFile {
  readonly uploadId: string
  readonly mimeType: string
}

interface Intake {
  /** Stores it as its bytes come. */
  take(
    file: { readonly name: string; readonly mimeType: string },
    bytes: AsyncIterable<Buffer>,
  ): Promise<StoredFile>
  /** All of the form has come. */
  end(): void
}

/** Takes the files of forms. */
export interface FormFiles {
  /** What was taken is removed again if `work` is refused. */
  during<T>(caller: Caller, work: (intake: Intake) => Promise<T>): Promise<T>
}

const maxFields = 2000
const maxFieldBytes = 1_048_576
const maxFiles = 50
const fileField = /^files?(?:\[\d{0,3}\])?$/
const type = /^[a-z0-9][a-z0-9.+_-]{0,99}\/[a-z0-9][a-z0-9.+_-]{0,99}$/

/**
 * The content of a call whose body is a form with files: they go to the store as they come, and the
 * body names them. What is read once serves a call that is decided again.
 */
export function filesForm(stream: Readable, contentType: string, intake: Intake) {
  let reading: Promise<() => unknown> | undefined
  return {
    bytes: 0,
    isForm: true as const,
    body: () => {
      reading ??= read(stream, contentType, intake)
      return reading
    },
  }
}

async function read(stream: Readable, contentType: string, intake: Intake) {
  const fields: (readonly [string, string])[] = []
  const files: StoredFile[] = []
  let room = maxFieldBytes
  for await (const { name, fileName, type, bytes } of readParts(stream, contentType)) {
    if (fields.length > maxFields) throw badRequest('body', `Send at most ${maxFields} fields.`)
    if (fileName === undefined) {
      const text = await textOf(bytes, room)
      room -= text.length + name.length
      fields.push([name, text])
    } else if (fileName === '') {
      await requireNone(bytes, name)
    } else if (!fileField.test(name)) {
      throw badRequest(name, 'Files are taken as `file`, or several as `files[]`.')
    } else {
      if (files.length === maxFiles) throw new Failure('ERR_INVALID_MEDIA_MESSAGE')
      files.push(await intake.take({ name: nameOf(fileName), mimeType: typeOf(type) }, bytes))
    }
  }
  intake.end()
  return () => bodyOf(fields, files)
}

async function textOf(bytes: AsyncIterable<Buffer>, room: number): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > room) throw badRequest('body', 'The body is too large.')
    chunks.push(chunk)
  }
  return readText(Buffer.concat(chunks))
}

/** As a page sends it where nobody has chosen a file. */
async function requireNone(bytes: AsyncIterable<Buffer>, name: string): Promise<void> {
  for await (const _ of bytes) throw badRequest(name, 'This file has no name.')
}

/** Some clients name the folder as well. */
function nameOf(fileName: string): string {
  inspectText(fileName, 'file')
  const name = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  return name.slice(0, 255).toWellFormed() || 'file'
}

function typeOf(given = ''): string {
  const [plain = ''] = given.toLowerCase().split(';')
  return type.test(plain.trim()) ? plain.trim() : 'application/octet-stream'
}

/** Each time anew: the validation changes what it reads. */
function bodyOf(fields: readonly (readonly [string, string])[], files: readonly StoredFile[]) {
  const body: Readonly<Record<string, unknown>> = Object(objectOfFields(fields))
  if (files.length === 0) return body
  const said = typeof body.data === 'string' ? parseJson(body.data, 'data') : (body.data ?? {})
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return body
  const { attachments: given = [] } = said as { readonly attachments?: unknown }
  const before = typeof given === 'string' ? parseJson(given, 'data') : given
  const named = files.map(({ uploadId }) => ({ uploadId }))
  const attachments = Array.isArray(before) ? [...before, ...named] : before
  const isPlain = body.type === undefined && (body.category ?? 'message') === 'message'
  return {
    ...body,
    ...(isPlain && { type: kindOf(files) }),
    data: { ...said, attachments },
  }
}

/** Of a message that says nothing of its type. */
function kindOf(files: readonly StoredFile[]): string {
  const kinds = new Set(files.map(({ mimeType }) => mimeType.split('/')[0] ?? ''))
  const [kind = ''] = kinds
  return kinds.size === 1 && ['image', 'video', 'audio'].includes(kind) ? kind : 'file'
}
