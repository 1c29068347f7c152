import { openAsBlob } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlainError } from '../../plain-error.ts'
import { Refused, type Side } from '../side.ts'

/** How bytes are brought. */
interface Instruction {
  readonly method: 'POST' | 'PUT'
  readonly url: string
  readonly fields?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** As the new side answers it. */
export interface Upload {
  readonly uploadId: string
  readonly size: number
  readonly mimeType: string
  readonly state: 'waiting' | 'checking' | 'ready' | 'refused'
  readonly why?: string
  readonly put?: Instruction
  readonly parts?: {
    readonly size: number
    readonly put: readonly (Instruction & { readonly number: number })[]
  }
}

export interface Wanted {
  readonly name: string
  readonly size: number
  readonly mimeType: string
}

const putTimeoutMs = 900_000
/** Half a minute. */
const maxFailures = 8
const firstPauseMs = 250
const checkTimeoutMs = 120_000
const firstLookMs = 50
const slowestLookMs = 2000

/** Refusals that are of the file; others are of its user, who may be deactivated. */
const ofFile = ['ERR_FILE_TOO_LARGE', 'ERR_FILE_QUOTA_EXCEEDED', 'ERR_BAD_REQUEST']

/** An upload of the sender or, where they may have none any more, of no user. Or why there is none. */
export async function askFor(to: Side, sender: string, wanted: Wanted): Promise<Upload | string> {
  if (wanted.size === 0) return 'has no bytes'
  for (const uid of [sender, undefined]) {
    try {
      return (await to.post<{ data: Upload }>('/uploads', wanted, uid)).data
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.code === 'ERR_FILES_NOT_CONFIGURED') {
        throw new PlainError('The new side stores no files: say there where they lie.')
      }
      if (uid === undefined || ofFile.includes(error.code)) {
        return error.code === 'ERR_FILE_TOO_LARGE' ? 'is too large' : `is refused: ${error.code}`
      }
    }
  }
  return 'is refused'
}

/** Undefined: it is not there any more. */
export async function findUpload(to: Side, uploadId: string): Promise<Upload | undefined> {
  try {
    return (await to.get<{ data: Upload }>(`/uploads/${uploadId}`)).data
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return undefined
    throw error
  }
}

export async function cancel(to: Side, uploadId: string): Promise<void> {
  try {
    await to.delete(`/uploads/${uploadId}`)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
}

/** Brings the bytes of a file on disk, a block at a time, and completes the upload. */
export async function bring(to: Side, asked: Upload, path: string): Promise<Upload> {
  const bytes = await openAsBlob(path)
  for (let upload: Upload | undefined = asked, failures = 0; ; ) {
    try {
      if (upload?.state === 'waiting') await putAll(upload, bytes)
      const { parts } = upload ?? {}
      if (!parts || parts.put.length === 0) break
    } catch (error) {
      if (error instanceof PlainError) throw error
      failures += 1
      if (failures === maxFailures) throw new PlainError(`${reasonOf(error)} Call the move again.`)
      await sleep(firstPauseMs * 2 ** (failures - 1))
    }
    // With fresh addresses, and those of parts that are missing.
    upload = await findUpload(to, asked.uploadId)
  }
  return (await to.post<{ data: Upload }>(`/uploads/${asked.uploadId}/complete`, {})).data
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function putAll({ put, parts }: Upload, bytes: Blob): Promise<void> {
  if (put) await putOne(put, bytes)
  for (const part of parts?.put ?? []) {
    const { size } = parts ?? { size: 0 }
    await putOne(part, bytes.slice((part.number - 1) * size, part.number * size))
  }
}

async function putOne({ method, url, fields, headers }: Instruction, bytes: Blob): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) form.append(name, value)
  form.append('file', bytes, 'file')
  const signal = AbortSignal.timeout(putTimeoutMs)
  const sent = method === 'POST' ? { body: form } : { body: bytes, headers: { ...headers } }
  const response = await fetch(url, { method, signal, ...sent })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`The store of the new side answers ${response.status}.`)
}

/** Once it is checked. Undefined: that takes long. */
export async function checked(to: Side, complete: Upload): Promise<Upload | undefined> {
  const endsAt = Date.now() + checkTimeoutMs
  let upload: Upload | undefined = complete
  for (let pauseMs = firstLookMs; upload?.state === 'checking'; ) {
    if (Date.now() > endsAt) return undefined
    await sleep(pauseMs)
    pauseMs = Math.min(slowestLookMs, pauseMs * 2)
    upload = await findUpload(to, complete.uploadId)
  }
  return upload
}
