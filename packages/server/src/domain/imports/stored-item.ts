import type { ImportedMessage } from '@chorale/contract/imports'
import type { Extra } from '../log/entries/index.ts'
import type { PlacedImport } from '../log/index.ts'
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
}

/** A message, and where it is stored. */
export interface StoredItem {
  readonly key: string
  readonly message: ImportedMessage
  readonly said: Said
  readonly target: Target
  readonly placed: PlacedImport
}
