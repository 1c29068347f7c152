import type { EntryRef } from '../../outbox/events.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { Failure } from '../../pipeline/failure.ts'
import { type Flag, insertReport } from '../rules/cases/index.ts'
import { defaultReasons } from './default-reasons.ts'
import { findReasons } from './reasons.sql.ts'

/** A user reports a message: moderators find it in their queue. */
export async function reportMessage(
  { db, outbox, now }: AppTransaction,
  { bucket, key, seq, id }: EntryRef,
  flag: Flag,
): Promise<void> {
  const { uid, reasonId } = flag
  const own = defaultReasons.has(reasonId) ? [] : await findReasons(db)
  if (!defaultReasons.has(reasonId) && !own.some((reason) => reason.id === reasonId)) {
    throw new Failure('ERR_REASON_NOT_FOUND', { id: reasonId })
  }
  const place = { bucket, key, seq, id }
  await insertReport(db, place, flag, now)
  await outbox.append('message.flagged', { ...place, by: 'user', uid })
}
