import type { ConversationKey } from '../../../outbox/committed.ts'
import { Failure } from '../../../pipeline/failure.ts'
import type { ReadCtx } from '../../../pipeline/handler.ts'
import { visibleFrom } from '../../conversations/index.ts'
import { findMessage } from '../stored/messages.sql.ts'

/** What is quoted is in the same conversation, and can be seen by who quotes it. */
export async function requireQuotable(
  { db, actor }: ReadCtx,
  conversation: ConversationKey | undefined,
  id: number,
): Promise<void> {
  const { row } = (await findMessage(db, id, false)) ?? {}
  const here = row !== undefined && row.key === conversation?.key && row.deletedAt === null
  const from = here && actor ? await visibleFrom(db, row, actor.uid) : 0
  if (!here || from === undefined || row.seq <= from) {
    throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id })
  }
}
