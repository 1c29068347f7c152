import type { ImportedMessage } from '@chorale/contract/imports'
import type { EntryRow } from '../log/entries/index.ts'
import type { PlacedImport } from '../log/index.ts'
import type { Target } from './conversations.ts'

/** What a message says, as its row has it. */
export type SaidRow = Pick<EntryRow, 'sender' | 'category' | 'type' | 'data' | 'extra'>

/** A message, and where it is stored. */
export interface StoredItem {
  readonly message: ImportedMessage
  readonly said: SaidRow
  readonly target: Target
  readonly placed: PlacedImport
}
