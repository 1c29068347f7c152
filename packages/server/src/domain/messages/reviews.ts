import type { ReviewStatus } from '@chorale/contract/moderation'
import { Failure } from '../../pipeline/failure.ts'
import type { Ctx } from '../../pipeline/handler.ts'
import { nextModerationVersion } from '../apps/index.ts'
import { appendWithin, type Entry, type Extra } from '../conversations/index.ts'
import { closeCase, type Judgement } from '../moderation/index.ts'
import { deleteTraces, lockConversationOf, sealMessage, unsealMessage } from './messages.sql.ts'
import { type CaseRow, findCase } from './reviews.sql.ts'
import { reviewSubmission } from './submissions.ts'
import { lowerReplies } from './threads.sql.ts'

/** A moderator has looked at a message. */
export async function review(
  ctx: Ctx,
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
  const { bucket, key, seq, deletedAt } = found.entry.row
  if (status === 'approved' && isWithheld) return deliver(ctx, found)
  if (status === 'disapproved' && !isWithheld && deletedAt === null) await condemn(ctx, found)
  await closeCase(ctx.db, id, { status, seq }, ctx.now)
  if (status === 'approved') await ctx.outbox.append('message.approved', { bucket, key, seq, id })
}

/**
 * Said now, at the end of the log, where everyone will meet it: what lies behind their position is
 * never read again. The old place stays that of a message deleted for ever.
 */
async function deliver(ctx: Ctx, { entry: { row }, messageId, parentSeq }: CaseRow): Promise<void> {
  const { bucket, key, sender, category, type, verdict } = row
  const { sealed, rule } = verdict ?? {}
  if (!sealed) return
  const { counts, shows, extra } = sealed
  const moderation = { status: 'approved', ...(rule && { rule: { id: rule.id, name: rule.name } }) }
  const [placed] = await appendWithin(ctx, [
    {
      ...{ bucket, key, appId: ctx.db.appId, sender, category, type, counts, shows },
      data: JSON.stringify({ ...sealed.data, moderation }),
      extra: extra ? JSON.stringify(extra) : undefined,
      parentSeq: parentSeq ?? undefined,
    },
  ])
  if (!placed) throw new Error('A message was not appended.')
  const { seq, id } = placed
  await unsealMessage(ctx.db, row, ctx.now)
  await closeCase(ctx.db, messageId, { status: 'approved', seq }, ctx.now)
  await ctx.outbox.append('message.approved', { bucket, key, seq, id, blockedId: messageId })
}

async function condemn(ctx: Ctx, { entry, caught }: CaseRow): Promise<void> {
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

/** From now on its sender alone sees it; for everyone else it is deleted for ever. */
export async function withhold(
  { db, now }: Ctx,
  { row }: Entry,
  said: Readonly<Record<string, unknown>>,
  { moderation, verdict = { actions: [] } }: Judgement,
  extra: Extra = row.extra ?? {},
): Promise<void> {
  const { tags, mentions, parent, quoted, editedBy } = extra
  const kept = { tags, mentions, parent, quoted, editedBy }
  await sealMessage(db, row, { verdict, data: { ...said, moderation }, extra: kept }, now)
  await deleteTraces(db, row)
  if (parent !== undefined) await lowerReplies(db, row)
}
