import type { Message } from '@chorale/contract/conversations'
import type { Ctx } from '../../pipeline/handler.ts'
import { loadCounterparts } from './counterparts.ts'
import { type EntryRow, type Receiver, shownEntry, uidsIn } from './entry-view.ts'

/** Entries of one conversation as the acting user sees them; who they speak of is loaded once. */
export async function showEntries(
  ctx: Ctx,
  rows: readonly EntryRow[],
  receiver: Receiver,
): Promise<Message[]> {
  const seen = await loadCounterparts(
    ctx.db,
    {
      uids: rows.flatMap((row) => uidsIn(row, receiver)),
      guids: receiver.kind === 'group' ? [receiver.guid] : [],
    },
    { viewer: ctx.actor?.uid, withTags: false, withBlocks: false },
  )
  return rows.map((row) => shownEntry(row, receiver, seen))
}
