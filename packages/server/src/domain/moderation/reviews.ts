import type { ReviewStatus } from '@chorale/contract/moderation'
import type { AppTransaction } from '../../outbox/unit-of-work.ts'
import { Failure } from '../../pipeline/failure.ts'
import type { WriteCtx } from '../../pipeline/handler.ts'
import { nextModerationVersion } from '../apps/index.ts'
import { fileRemovalQueue, moveFiles, releaseFilesOf } from '../files/index.ts'
import {
  dropHidden,
  type Entry,
  type EntryRow,
  type Verdict,
  withdrawEntry,
} from '../log/entries/index.ts'
import { appendWithin, type Placed } from '../log/index.ts'
import { replyCounts } from '../messages/index.ts'
import { withhold } from '../messages/send/index.ts'
import { deleteTraces, lockConversationOf } from '../messages/stored/index.ts'
import { closeCase } from '../rules/cases/index.ts'
import { holderOf, requireFree } from './holders.ts'
import { type CaseRow, findCase } from './reviews.sql.ts'
import { reviewSubmission } from './submissions.ts'

/** A moderator has looked at a message. */
export async function review(
  ctx: WriteCtx,
  id: number,
  kind: CaseRow['kind'],
  status: ReviewStatus,
): Promise<void> {
  if (await reviewSubmission(ctx, id, kind, status)) return
  await lockConversationOf(ctx.db, id)
  const found = await findCase(ctx.db, id)
  const isWithheld = found?.entry.row.verdict?.sealed !== undefined
  // What was blocked and is not withheld any more was delivered: there is no way back.
  if (found?.kind !== kind || (kind === 'blocked' && !isWithheld)) {
    throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id })
  }
  requireFree(ctx, found)
  const { bucket, key, seq, deletedAt } = found.entry.row
  if (status === 'approved' && isWithheld) return deliver(ctx, found)
  if (status === 'disapproved' && !isWithheld && deletedAt === null) await condemn(ctx, found)
  await closeCase(ctx.db, id, { status, seq, by: holderOf(ctx.caller) }, ctx.now)
  await eraseWithdrawn(ctx, found.entry)
  if (status === 'approved')
    await ctx.outbox.append('message.approved', { bucket, key, seq, id, by: 'moderator' })
}

/** Its author had deleted it for ever, and it was kept for this case. */
async function eraseWithdrawn({ db, outbox, now }: WriteCtx, entry: Entry): Promise<void> {
  const { erase, deletedBy } = entry.row.extra ?? {}
  if (!erase) return
  await withdrawEntry(db, entry.row, { extra: { deletedBy }, forever: true }, now)
  await deleteTraces(db, entry.row)
  await releaseFilesOf(db, entry.row, [entry.row.seq])
  outbox.wake(fileRemovalQueue)
}

async function deliver(
  ctx: WriteCtx,
  { entry: { row }, messageId, parentSeq }: CaseRow,
): Promise<void> {
  const { rule } = row.verdict ?? {}
  const moderation = { status: 'approved', ...(rule && { rule: { id: rule.id, name: rule.name } }) }
  const { seq, id } = await sayAnew(ctx, row, { moderation, parentSeq, muid: null })
  const by = holderOf(ctx.caller)
  await closeCase(ctx.db, messageId, { status: 'approved', seq, by }, ctx.now)
  const { bucket, key } = row
  const place = { bucket, key, seq, id }
  await ctx.outbox.append('message.approved', { ...place, by: 'moderator', blockedId: messageId })
}

interface Anew {
  readonly moderation: object
  readonly parentSeq: number | null
  /** Taken from the old place, where there is one. */
  readonly muid: string | null
  readonly verdict?: Verdict | undefined
}

/**
 * Said now, at the end of the log, where everyone will meet it: what lies behind their position is
 * never read again. The old place stays that of a message deleted for ever.
 */
export async function sayAnew(
  ctx: AppTransaction,
  row: EntryRow,
  { moderation, parentSeq, muid, verdict }: Anew,
): Promise<Placed> {
  const { bucket, key, sender, category, type } = row
  const { sealed } = row.verdict ?? {}
  if (!sealed) throw new Error('Only what is withheld is said anew.')
  const { counts, shows, extra } = sealed
  await dropHidden(ctx.db, row, muid !== null, ctx.now)
  const anew = {
    bucket,
    key,
    appId: ctx.db.appId,
    sender,
    category,
    type,
    counts,
    shows,
    data: JSON.stringify({ ...sealed.data, moderation }),
    extra: extra ? JSON.stringify(extra) : undefined,
    verdict: verdict && JSON.stringify(verdict),
    muid: muid ?? undefined,
    parentSeq: parentSeq ?? undefined,
  }
  const [placed] = await appendWithin(ctx, [anew], [replyCounts])
  if (!placed) throw new Error('A message was not appended.')
  await moveFiles(ctx.db, row, placed.seq)
  return placed
}

async function condemn(ctx: WriteCtx, { entry, caught }: CaseRow): Promise<void> {
  const { rule } = caught ?? {}
  const { bucket, key, seq, id } = entry.row
  // An app that has never moderated looks for nobody's withheld messages.
  if (ctx.app.moderationVersion === 0) await nextModerationVersion(ctx.db)
  const moderation = {
    status: 'disapproved' as const,
    ...(rule && { rule: { id: rule.id, name: rule.name } }),
  }
  const { moderation: _, ...said }: Record<string, unknown> = JSON.parse(entry.row.data)
  await withhold(ctx, entry, said, { moderation, verdict: caught ?? { actions: [] } })
  await ctx.outbox.append('message.blocked', { bucket, key, seq, id, by: 'moderator' })
}
