import type { EntryRef } from '../../../outbox/events.ts'
import type { AppTransaction } from '../../../outbox/unit-of-work.ts'
import type { Verdict } from '../../log/entries/index.ts'
import { insertCase } from './cases.sql.ts'

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
