import type { pins } from '@chorale/contract/messages'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, WriteCtx } from '../../pipeline/handler.ts'
import type { RawJson } from '../../pipeline/raw-json.ts'
import { type Entry, type Extra, updateExtra } from '../log/entries/index.ts'
import { countPins, deletePin, insertPin } from './pins.sql.ts'
import { requireMayTouch } from './send/delivery.ts'
import { findMembership } from './stored/access.sql.ts'
import { accessMessage, actingUid, requireStanding } from './stored/access.ts'
import { answerWith } from './stored/show-message.ts'
import { touched } from './stored/touched.ts'

const maxPins = 100

/** A pin is for all who see the message; who pinned it, and when, stands beside it. */
export const pinHandlers: Handlers<typeof pins> = {
  async pinMessage({ params: { id } }, ctx) {
    const entry = await accessPinnable(ctx, id)
    await requireMayTouch(ctx, 'pin', entry)
    if (entry.row.extra?.pinned) return answerWith(ctx, entry)
    if ((await countPins(ctx.db, entry.row)) >= maxPins) {
      throw new Failure('ERR_PINNED_MESSAGES_LIMIT_EXCEEDED', { limit: maxPins })
    }
    await insertPin(ctx.db, entry.row)
    const pinned = { at: ctx.now, by: actingUid(ctx) }
    return change(ctx, entry, 'message.pinned', { ...entry.row.extra, pinned })
  },

  async unpinMessage({ params: { id } }, ctx) {
    const entry = await accessPinnable(ctx, id)
    const { pinned, ...extra } = entry.row.extra ?? {}
    if (!pinned) return answerWith(ctx, entry)
    await deletePin(ctx.db, entry.row)
    return change(ctx, entry, 'message.unpinned', extra)
  },
}

/** Either of two users; in a group moderators, admins and the owner; the app always. */
async function accessPinnable(ctx: WriteCtx, id: string): Promise<Entry> {
  const entry = await accessMessage(ctx, id, 'change')
  requireStanding(entry)
  const { receiver } = entry
  if (!ctx.actor || receiver.kind === 'user') return entry
  const member = await findMembership(ctx.db, receiver.guid, ctx.actor.uid)
  if (!member?.owner && (member?.scope ?? 'participant') === 'participant') {
    throw new Failure('ERR_GROUP_NO_MODERATOR_SCOPE')
  }
  return entry
}

async function change<T>(
  ctx: WriteCtx,
  { row, receiver }: Entry,
  event: 'message.pinned' | 'message.unpinned',
  extra: Extra,
): Promise<RawJson<T>> {
  await updateExtra(ctx.db, row, extra, ctx.now)
  await ctx.outbox.append(event, touched(row, actingUid(ctx)))
  return answerWith(ctx, { row: { ...row, extra, updatedAt: ctx.now }, receiver })
}
