import type { FileUploads } from '../session/attached.ts'
import type { Draft } from '../session/outgoing.ts'
import { type FileUpload, type UploadProgress, upload } from './upload.ts'

/** What `fileUploads` takes. */
export interface FileUploadsOptions {
  /** Brings the bytes; that of the runtime unless given. */
  readonly fetch?: typeof fetch
}

/** The option `files` of `connect` and `createChat`: files of messages are uploaded before they are sent. */
export function fileUploads(options: FileUploadsOptions = {}): FileUploads {
  return (call, backoff) => {
    const all = new Map<string, readonly FileUpload[]>()

    function begin(draft: Draft, tell: () => void): readonly FileUpload[] {
      const { files = [], receiver, receiverType } = draft
      const retries = Number.POSITIVE_INFINITY
      const how = { ...options, receiver, receiverType, backoff, retries, onProgress: tell }
      return files.map((file) => upload({ call }, file, how))
    }

    return {
      async bring(given, onProgress) {
        const { files: _, ...draft } = given
        const { clientId, data } = draft
        const tell = () => onProgress(sumOf(all.get(clientId) ?? []))
        const uploads = all.get(clientId) ?? begin(given, tell)
        all.set(clientId, uploads)
        const done = await Promise.all(uploads.map((one) => one.done))
        const { attachments: before } = data ?? {}
        const named = done.map(({ uploadId }) => ({ uploadId }))
        const attachments = [...(Array.isArray(before) ? before : []), ...named]
        return { ...draft, data: { ...data, attachments } }
      },
      forget: (clientId) => void all.delete(clientId),
      close() {
        for (const uploads of all.values()) for (const one of uploads) one.pause()
      },
    }
  }
}

function sumOf(uploads: readonly FileUpload[]): UploadProgress {
  let [sent, size] = [0, 0]
  for (const { progress } of uploads) {
    sent += progress.sent
    size += progress.size
  }
  return { sent, size }
}
