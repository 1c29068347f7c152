import type { ImportedMessage } from '@chorale/contract/imports'
import type { Extra } from '../log/entries/index.ts'
import type { PlacedImport } from '../log/index.ts'
import type { Content } from '../messages/send/index.ts'
import type { Target } from './conversations.ts'

/** What a message says, as its row has it. */
export interface Said {
  readonly sender: string
  readonly category: string
  readonly type: string
  /** JSON text. */
  readonly data: string
  readonly extra: Extra
  readonly counts: boolean
  readonly shows: boolean
  /** Of most: it names none. */
  readonly uploads?: Uploads
}

/** Uploads that a message names, and what it says beside. */
export interface Uploads {
  readonly ids: readonly string[]
  readonly content: Content
}

/** A message, and where it is stored. */
export interface StoredItem {
  readonly key: string
  readonly message: ImportedMessage
  readonly said: Said
  readonly target: Target
  readonly placed: PlacedImport
}
