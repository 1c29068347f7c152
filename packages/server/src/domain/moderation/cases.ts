import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { EntryRef, Verdict } from '../conversations/index.ts'
import { type Flag, insertCase, insertReport } from './cases.sql.ts'
import { defaultReasons } from './default-reasons.ts'
import { findReasons } from './reasons.sql.ts'

/** A rule has caught a message: moderators find it in their queue. */
export async function openCase(
  { db, outbox, now }: AppTransaction,
  { bucket, key, seq, id }: EntryRef,
  { sealed: _, ...verdict }: Verdict,
  anew: boolean,
): Promise<void> {
  const kind = verdict.withheld ? 'blocked' : 'flagged'
  const place = { bucket, key, seq, id }
  if (!(await insertCase(db, place, { kind, verdict, anew }, now))) return
  await outbox.append(`message.${kind}`, { ...place, by: 'rule' })
}

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
