import type { AppDb } from '../../database/app-db.ts'
import type { ConversationKey } from '../../outbox/committed.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { fileRemovalQueue, releaseFilesIn, releaseFilesOf } from '../files/index.ts'
import type { EntryRow } from '../log/entries/index.ts'
import { eraseEntries, eraseEntry } from '../log/erasure/index.ts'
import { deleteWords } from './search/search.sql.ts'
import { touched } from './stored/touched.ts'
import { deleteTraces, eraseTraces } from './stored/traces.sql.ts'
import { lowerReplies } from './threads.sql.ts'

/** For ever, and with it who wrote it: `pseudonym` stands for them. */
export async function eraseMessage(
  ctx: AppTransaction,
  row: EntryRow,
  { by, pseudonym }: { readonly by: string; readonly pseudonym: string },
): Promise<void> {
  await eraseEntry(ctx.db, row, { sender: pseudonym, extra: { deletedBy: by } }, ctx.now)
  await deleteTraces(ctx.db, row)
  await releaseFilesOf(ctx.db, row, [row.seq])
  ctx.outbox.wake(fileRemovalQueue)
  if (row.extra?.parent !== undefined && row.deletedAt === null) await lowerReplies(ctx.db, row)
  await ctx.outbox.append('message.deleted', touched(row, by))
}

const maxPerStep = 5000

/** The first messages of a conversation that nobody has any more, and all that is found by or left on any. */
export async function eraseLog(db: AppDb, conversation: ConversationKey): Promise<void> {
  while (await deleteWords(db, conversation, maxPerStep));
  while (await eraseTraces(db, conversation, maxPerStep));
  while (await releaseFilesIn(db, conversation, maxPerStep));
  await eraseEntries(db, conversation, maxPerStep)
}
