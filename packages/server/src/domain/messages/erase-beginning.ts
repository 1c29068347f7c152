import type { ConversationKey } from '../../outbox/committed.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { fileRemovalQueue, releaseFilesOf } from '../files/index.ts'
import type { Held } from '../holds/index.ts'
import { type Beginning, deleteMoves, emptyEntries, readBeginning } from '../log/erasure/index.ts'
import { systemUid } from '../users/index.ts'
import { saveWords } from './search/search.sql.ts'
import { deleteTracesOf } from './stored/traces.sql.ts'
import { lowerReplies } from './threads.sql.ts'

export interface ErasedBeginning {
  /** Of the messages that were emptied. */
  readonly ids: readonly number[]
  /** How many a hold keeps, and the place of the first. */
  readonly kept: number
  readonly firstKept: number | undefined
  /** Up to here entries were looked at. */
  readonly reached: number
}

/**
 * Deletes the oldest entries of a conversation for ever, with all that is left on them. Nobody is told: whoever
 * catches up sees that they are gone.
 */
export async function eraseBeginning(
  ctx: AppTransaction,
  conversation: ConversationKey,
  { keep, ...span }: Beginning & { readonly keep: Held },
): Promise<ErasedBeginning> {
  const { db, now } = ctx
  const old = await readBeginning(db, conversation, span)
  const reached = old.at(-1)?.seq ?? span.after
  const isKept = (sender: string) => keep.all || keep.senders.includes(sender)
  const kept = old.filter(({ sender, isEmpty }) => !isEmpty && isKept(sender))
  const firstKept = kept[0]?.seq
  const gone = old.filter(({ sender, isEmpty }) => !isEmpty && !isKept(sender))
  const seqs = gone.map(({ seq }) => seq)
  if (seqs.length > 0) {
    const emptied = await emptyEntries(db, conversation, seqs, { deletedBy: systemUid }, now)
    await deleteTracesOf(db, conversation, seqs)
    await releaseFilesOf(db, conversation, seqs)
    ctx.outbox.wake(fileRemovalQueue)
    // Without words, and of this change: a listener that read them before does not put words back.
    const noWords = { ...conversation, appId: db.appId, text: null, words: [] }
    await saveWords(
      db.db,
      emptied.map((entry) => ({ ...noWords, ...entry })),
    )
    // Of threads whose first message a hold keeps; others are gone before their replies.
    for (const { seq, parentSeq, deletedAt } of keep.senders.length > 0 ? gone : []) {
      if (parentSeq !== null && deletedAt === null) await lowerReplies(db, { ...conversation, seq })
    }
  }
  await deleteMoves(db, conversation, firstKept === undefined ? reached : firstKept - 1)
  return { ids: gone.map(({ id }) => id), kept: kept.length, firstKept, reached }
}
