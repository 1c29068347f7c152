import type { EntryRow } from '../../log/entries/index.ts'

/** Who did something with which message, as events say it. */
export function touched({ bucket, key, seq, id }: EntryRow, uid: string) {
  return { bucket, key, seq, id, uid }
}
