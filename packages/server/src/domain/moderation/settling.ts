import type { EntryRef } from '../../outbox/events.ts'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { asTheyAre } from '../files/index.ts'
import {
  type Entry,
  type EntryRow,
  editEntry,
  keepHidden,
  type Verdict,
} from '../log/entries/index.ts'
import { insertEdit } from '../messages/index.ts'
import { withhold } from '../messages/send/index.ts'
import { findMessage, recordAction } from '../messages/stored/index.ts'
import { openCase } from '../rules/cases/index.ts'
import type { Classification, Edit } from '../rules/classifiers/index.ts'
import { blocks, disapproved } from '../rules/index.ts'
import { sayAnew } from './reviews.ts'

const approved = { status: 'approved' } as const

/** What classifiers have decided takes effect. The conversation is held. */
export async function settle(ctx: AppTransaction, classification: Classification): Promise<void> {
  const { messageId, sender, edit, outcome } = classification
  const { verdict, failures = [] } = outcome ?? {}
  const entry = await findMessage(ctx.db, messageId, true, sender)
  const settled =
    entry &&
    (edit
      ? await settleEdit(ctx, entry, edit, verdict)
      : await settleNew(ctx, entry.row, classification, verdict))
  if (!settled || failures.length === 0) return
  const { bucket, key, seq, id } = settled
  await ctx.outbox.append('message.moderationFailed', { bucket, key, seq, id, failures })
}

/** Where the message is now. Undefined: nothing is left to decide. */
async function settleNew(
  ctx: AppTransaction,
  row: EntryRow,
  { messageId, parentSeq }: Classification,
  verdict: Verdict | undefined,
): Promise<EntryRef | undefined> {
  if (!row.verdict?.sealed) return undefined
  if (verdict && blocks(verdict)) {
    await block(ctx, row, verdict)
    return row
  }
  const { bucket, key, muid } = row
  const { seq, id } = await sayAnew(ctx, row, { moderation: approved, parentSeq, muid, verdict })
  const place = { bucket, key, seq, id }
  await ctx.outbox.append('message.approved', { ...place, by: 'rule', blockedId: messageId })
  return place
}

async function block(ctx: AppTransaction, row: EntryRow, verdict: Verdict): Promise<void> {
  const withheld: Verdict = { ...verdict, withheld: true }
  await keepHidden(ctx.db, row, { verdict: withheld, moderation: disapproved(verdict) }, ctx.now)
  await openCase(ctx, row, withheld, false)
}

/** Until now the message was what it had been. If it is deleted or withheld, that is its last word. */
async function settleEdit(
  ctx: AppTransaction,
  entry: Entry,
  edit: Edit,
  verdict: Verdict | undefined,
): Promise<EntryRef | undefined> {
  const { row } = entry
  if (row.deletedAt !== null) return undefined
  // It has waited: its files may have been checked meanwhile.
  const files = edit.extra.files && (await asTheyAre(ctx, edit.extra.files))
  const extra = { ...row.extra, ...edit.extra, ...(files && { files }) }
  if (verdict && blocks(verdict)) {
    const result = { moderation: disapproved(verdict), verdict }
    await withhold(ctx, entry, edit.data, result, extra)
    await openCase(ctx, row, { ...verdict, withheld: true }, true)
    return row
  }
  const data = { ...edit.data, moderation: approved }
  await insertEdit(ctx.db, row, ctx.now)
  await editEntry(ctx.db, row, { data, extra, verdict }, ctx.now)
  if (verdict) await openCase(ctx, row, verdict, true)
  await recordAction(ctx, 'edited', entry, edit)
  return row
}
