import type { AppDb } from '../../../database/app-db.ts'
import type { EntryRow, Extra } from '../../log/entries/index.ts'
import { listReactions } from '../reactions.sql.ts'
import { deleteReactions, type ImportedReaction, insertReactions } from './reactions.sql.ts'

export type Given = Pick<ImportedReaction, 'uid' | 'reaction' | 'at'>

/** How many there are of each, as an entry keeps it. */
export function countsOf(reactions: readonly Given[]): NonNullable<Extra['reactions']> {
  const counts = new Map<string, number>()
  for (const { reaction } of reactions) counts.set(reaction, (counts.get(reaction) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** More than a call can bring. */
const everyone = { affix: 'append', id: 0, limit: 100_000 } as const

/** Makes the reactions to a message those that are given. False: they are the same. */
export async function changeReactions(
  db: AppDb,
  row: EntryRow,
  given: readonly Given[],
): Promise<boolean> {
  const none = { reaction: undefined, by: undefined }
  const stored = await listReactions(db, row, none, everyone)
  const names = new Set(stored.map(nameOf))
  const wanted = new Set(given.map(nameOf))
  const { bucket, key, seq } = row
  const inPlace = <T>(one: T) => ({ ...one, bucket, key, seq })
  const fresh = given.filter((one) => !names.has(nameOf(one))).map(inPlace)
  const gone = stored.filter((one) => !wanted.has(nameOf(one))).map(inPlace)
  await deleteReactions(db, gone)
  await insertReactions(db, fresh)
  return fresh.length + gone.length > 0
}

function nameOf({ uid, reaction }: Pick<Given, 'uid' | 'reaction'>): string {
  return `${uid} ${reaction}`
}
