import type { UploadProgress } from '../files/upload.ts'
import type { Ask } from './ask.ts'
import type { Backoff } from './backoff.ts'
import type { Draft } from './outgoing.ts'

/** Uploads the files of messages: each once, however often its message is tried. */
export interface Attached {
  /** The draft as it is sent. Waits for a network as long as there is none. */
  bring(
    draft: Draft & { readonly clientId: string },
    onProgress: (progress: UploadProgress) => void,
  ): Promise<Draft>
  /** Its message was stored, or refused: sent again, its files are uploaded again. */
  forget(clientId: string): void
  /** Sends nothing any more. */
  close(): void
}

/** What `fileUploads` makes: a page that sends no files does not load it. */
export type FileUploads = (call: Ask, backoff: Backoff) => Attached
