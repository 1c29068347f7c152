import type { TimelineStep, timelines } from '@chorale/contract/support'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { findReceiver } from '../log/index.ts'
import { explainPush, type PushExplanation, pushEventAt } from '../notifications/index.ts'
import { conversationIdOf } from '../users/index.ts'
import {
  findTimelineOf,
  listRecipients,
  type MessageRow,
  type RecipientRow,
} from './timelines.sql.ts'

export const timelineHandlers: Handlers<typeof timelines> = {
  async getMessageTimeline({ params: { id }, query: { after = '', limit } }, ctx) {
    const message = await findTimelineOf(ctx.db, Number(id))
    const between = message && (await findReceiver(ctx.db, message))
    if (!message || !between) throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id })
    const rows = await listRecipients(ctx.db, message, Number(id), { after, limit })
    const event = await pushEventAt(ctx.db, Number(id))
    const recipients = []
    // One after the other: a call takes one connection.
    for (const row of rows) {
      const push = event ? await explainPush(ctx, event, row.uid) : notNotified(message)
      recipients.push({ row, push })
    }
    const { sender, category, type } = message
    const other = between.kind === 'group' ? between.guid : otherOf(between.uids, sender)
    const last = rows.length === limit ? rows.at(-1)?.uid : undefined
    return {
      data: {
        messageId: id,
        conversationId:
          between.kind === 'group' ? `group_${other}` : conversationIdOf(...between.uids),
        sender,
        receiver: other,
        receiverType: between.kind,
        category,
        type,
        steps: [...stepsOf(message), ...recipients.flatMap(stepsOfRecipient)].sort(inOrder),
        recipients: recipients.map(({ row, push }) => ({
          uid: row.uid,
          ...(row.deliveredAt !== null && { deliveredAt: row.deliveredAt }),
          ...(row.readAt !== null && { readAt: row.readAt }),
          push,
        })),
        ...(last !== undefined && { next: last }),
      },
    }
  },
}

function otherOf([a, b]: readonly [string, string], sender: string): string {
  return sender === a ? b : a
}

const order: readonly TimelineStep['step'][] = [
  ...(['received', 'moderated', 'stored', 'delivered', 'pushed', 'read'] as const),
  ...(['reported', 'edited', 'reviewed', 'deleted'] as const),
]

/** By time; of the same second, in the order in which they happen. What has no time is the last. */
function inOrder(a: TimelineStep, b: TimelineStep): number {
  const [from, to] = [a.at ?? Number.MAX_SAFE_INTEGER, b.at ?? Number.MAX_SAFE_INTEGER]
  return from - to || order.indexOf(a.step) - order.indexOf(b.step)
}

function stepsOf(message: MessageRow): TimelineStep[] {
  const { sender, sentAt, editedAt, deletedAt, isWithheld, review } = message
  return [
    { step: 'received', at: sentAt, uid: sender, says: `The service got it from ${sender}.` },
    { step: 'moderated', at: sentAt, ...moderation(message) },
    { step: 'stored', at: sentAt, says: 'It has its place in the conversation.' },
    ...(review ? stepsOfReview(review) : []),
    ...(editedAt === null
      ? []
      : [{ step: 'edited' as const, at: editedAt, says: 'It was edited, for the last time.' }]),
    // What is blocked is a row that looks deleted from its first moment on.
    ...(deletedAt === null || isWithheld || review?.kind === 'blocked'
      ? []
      : [{ step: 'deleted' as const, at: deletedAt, says: 'It was deleted.' }]),
  ]
}

function moderation({ isWithheld, isPending, rule, review }: MessageRow) {
  const by = rule === null ? {} : { reason: rule }
  if (isPending) {
    return { status: 'pending', ...by, says: 'It waits for a classifier; nobody else sees it.' }
  }
  if (isWithheld || review?.kind === 'blocked') {
    const says = rule === null ? 'It was blocked.' : `The rule “${rule}” blocked it.`
    return { status: 'disapproved', ...by, says }
  }
  if (rule !== null) {
    return { status: 'flagged', ...by, says: `The rule “${rule}” let it through and reported it.` }
  }
  return { status: 'approved', says: 'No rule objected.' }
}

const reviewSays = {
  blocked: {
    approved: 'A moderator approved it: it was sent anew, as a message with another id.',
    disapproved: 'A moderator left it blocked.',
  },
  flagged: {
    approved: 'A moderator approved it.',
    disapproved: 'A moderator disapproved it.',
  },
} as const

function stepsOfReview(review: NonNullable<MessageRow['review']>): TimelineStep[] {
  const { kind, status, createdAt, updatedAt } = review
  const opened: TimelineStep = {
    step: 'reported',
    at: createdAt,
    status: kind,
    says: kind === 'blocked' ? 'It came into the queue of blocked messages.' : 'It was reported.',
  }
  if (status === 'open') return [opened]
  return [opened, { step: 'reviewed', at: updatedAt, status, says: reviewSays[kind][status] }]
}

interface Explained {
  readonly row: RecipientRow
  readonly push: PushExplanation
}

function stepsOfRecipient({ row, push }: Explained): TimelineStep[] {
  const { uid, deliveredAt, readAt, pushedAt } = row
  const { verdict, reason, says } = push
  return [
    ...(deliveredAt === null
      ? []
      : [{ step: 'delivered' as const, at: deliveredAt, uid, says: `A device of ${uid} has it.` }]),
    {
      step: 'pushed',
      ...(pushedAt !== null && { at: pushedAt }),
      uid,
      status: verdict,
      ...(reason !== undefined && { reason }),
      says,
    },
    ...(readAt === null
      ? []
      : [{ step: 'read' as const, at: readAt, uid, says: `${uid} has read it.` }]),
  ]
}

/** Of what is withheld, and of actions that nobody is told of. */
function notNotified({ isWithheld, isPending }: MessageRow): PushExplanation {
  const withheld = isWithheld || isPending
  return {
    verdict: 'withheld',
    step: 'message',
    reason: withheld ? 'MESSAGE_WITHHELD' : 'NOT_NOTIFIED',
    says: withheld
      ? 'Moderation withholds the message, so nobody is notified.'
      : 'Nobody is notified of this kind of message.',
  }
}
