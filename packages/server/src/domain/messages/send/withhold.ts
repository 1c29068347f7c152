import type { AppTransaction } from '../../../outbox/unit-of-work.ts'
import { type Entry, type Extra, hideEntry } from '../../log/entries/index.ts'
import type { ModerationResult } from '../../rules/index.ts'
import { deleteTraces } from '../stored/traces.sql.ts'
import { lowerReplies } from '../threads.sql.ts'

/** From now on its sender alone sees it; for everyone else it is deleted for ever. */
export async function withhold(
  { db, now }: AppTransaction,
  { row }: Entry,
  said: Readonly<Record<string, unknown>>,
  { moderation, verdict = { actions: [] } }: ModerationResult,
  extra: Extra = row.extra ?? {},
): Promise<void> {
  const { tags, mentions, parent, quoted, editedBy, files } = extra
  const kept = { tags, mentions, parent, quoted, editedBy, files }
  await hideEntry(db, row, { verdict, data: { ...said, moderation }, extra: kept }, now)
  await deleteTraces(db, row)
  if (parent !== undefined) await lowerReplies(db, row)
}
