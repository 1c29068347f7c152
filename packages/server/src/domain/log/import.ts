import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import type { ConversationKey } from './entries/entries.ts'
import {
  type EntryFromElsewhere,
  type Growth,
  type Head,
  insertEntries,
  lockHeads,
  moveHeads,
} from './import.sql.ts'
import { findByMuid, muidName } from './log.sql.ts'

export interface ImportedEntry
  extends ConversationKey,
    Pick<
      EntryFromElsewhere,
      'sentAt' | 'sender' | 'category' | 'type' | 'muid' | 'data' | 'extra'
    > {}

export interface PlacedImport {
  readonly seq: number
  readonly id: number
  readonly counted: number
  readonly at: number
  readonly repeated: boolean
}

/** `older`: than the last entry of its conversation. `taken`: another entry has its muid. */
type Refused = 'older' | 'taken'

/**
 * Appends entries that come from elsewhere, with their own times: those of a conversation in the order
 * of their times. They count as unread for nobody. What was imported before stays as it is. Results in
 * the order of the entries.
 */
export async function importEntries(
  ctx: AppTransaction,
  entries: readonly ImportedEntry[],
): Promise<(PlacedImport | Refused)[]> {
  if (entries.length === 0) return []
  const heads = await lockHeads(ctx.db, [...new Set(entries.map(({ key }) => key))])
  const known = await findByMuid(ctx.db.db, entries)
  const results = new Map<ImportedEntry, PlacedImport | Refused>()
  for (const entry of entries) {
    const stored = known.get(muidName(entry))
    if (stored) {
      const isSame = stored.at === entry.sentAt
      results.set(entry, isSame ? { ...stored, repeated: true } : 'taken')
    } else if (entry.sentAt < headOf(heads, entry).lastAt) results.set(entry, 'older')
  }
  const fresh = entries
    .filter((entry) => !results.has(entry))
    .toSorted((a, b) => a.sentAt - b.sentAt)
  const placed = await append(ctx, heads, fresh)
  for (const [place, entry] of fresh.entries()) {
    const at = placed[place]
    if (at) results.set(entry, at)
  }
  return entries.map((entry) => {
    const result = results.get(entry)
    if (!result) throw new Error('An entry was lost while it was imported.')
    return result
  })
}

function headOf(heads: ReadonlyMap<number, Head>, { key }: ConversationKey): Head {
  const head = heads.get(key)
  if (!head) throw new Error('A conversation to import into does not exist.')
  return head
}

async function append(
  { db, outbox, now }: AppTransaction,
  heads: ReadonlyMap<number, Head>,
  entries: readonly ImportedEntry[],
): Promise<PlacedImport[]> {
  if (entries.length === 0) return []
  const growths = new Map<number, Growth>()
  const inPlace = entries.map((entry): EntryFromElsewhere => {
    const { bucket, key, sentAt: lastAt } = entry
    const { head: before, counted } = headOf(heads, entry)
    const seq = (growths.get(key)?.head ?? before) + 1
    growths.set(key, { bucket, key, before, head: seq, lastAt })
    return { ...entry, seq, counted }
  })
  const ids = await insertEntries(db, inPlace)
  const receipt = await moveHeads(db, [...growths.values()], now)
  const placed = inPlace.map((entry, place) => {
    const id = ids[place]
    if (id === undefined) throw new Error('An imported entry has no id.')
    return { ...entry, id, at: entry.sentAt }
  })
  const appended = placed.map((entry) => ({ ...entry, appId: db.appId, imported: true }))
  outbox.appended({ receipt, entries: appended })
  return placed.map(({ seq, id, counted, at }) => ({ seq, id, counted, at, repeated: false }))
}
