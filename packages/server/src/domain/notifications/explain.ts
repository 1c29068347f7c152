import type { explain } from '@chorale/contract/notifications'
import { Failure } from '../../pipeline/failure.ts'
import type { Handlers, ReadCtx } from '../../pipeline/handler.ts'
import { mask } from '../../vault/mask.ts'
import { findUsers } from '../users/index.ts'
import { checkEligibility, type Recipient, type Step, type StepName } from './eligibility.ts'
import { type DeliveryRow, findDeliveries, findPlaceOf } from './explain.sql.ts'
import type { NotificationConfig } from './notification-config.ts'
import { notificationConfigOf } from './notification-config.ts'
import { eventAt, type NotificationEvent } from './notification-event.ts'
import { findParticipant } from './recipient-rows.sql.ts'
import { recipientsOf, stranger } from './recipients.ts'

export const explainHandlers: Handlers<typeof explain> = {
  async explainNotification({ query: { uid, messageId } }, ctx) {
    // A deactivated user has an answer as well.
    const [known] = await findUsers(ctx.db, [uid], undefined)
    if (!known) throw new Failure('ERR_UID_NOT_FOUND', { uid })
    const event = await pushEventAt(ctx.db, messageId)
    if (!event) throw new Failure('ERR_MESSAGE_ID_NOT_FOUND', { id: messageId })
    const { rows, steps, ...outcome } = await explained(ctx, event, uid)
    return { data: { ...outcome, steps, deliveries: rows.map(shown) } }
  },
}

/** Undefined: there is no such message, or nobody is notified of such a thing. */
export async function pushEventAt(
  db: ReadCtx['db'],
  messageId: number,
): Promise<NotificationEvent | undefined> {
  const place = await findPlaceOf(db, messageId)
  return place && (await eventAt(db, '', place))
}

/** Why a user got a push of it, or why not: the end of the explanation. */
export interface PushExplanation {
  readonly verdict: DeliveryRow['status']
  readonly step: string
  readonly reason?: string
  readonly says: string
}

export async function explainPush(
  ctx: ReadCtx,
  event: NotificationEvent,
  uid: string,
): Promise<PushExplanation> {
  const { rows: _, steps: __, ...outcome } = await explained(ctx, event, uid)
  return outcome
}

async function explained(ctx: ReadCtx, event: NotificationEvent, uid: string) {
  const rows = await findDeliveries(ctx.db, uid, event.row.id, event.trigger)
  const message = passed('message', `${event.trigger} by ${event.actor}.`)
  const decided = rows.length > 0 ? stepsThen(rows) : await stepsNow(ctx, event, uid)
  const steps = [message, ...decided]
  const { step, reason, says } = steps.at(-1) ?? message
  const verdict = rows[0] ? maxHopeful(rows).status : ('withheld' as const)
  return { verdict, step, ...(reason !== undefined && { reason }), says, rows, steps }
}

interface ExplainStep extends Omit<Step, 'step' | 'reason'> {
  readonly step: StepName | 'message' | 'event' | 'delivery'
  /** Of ours, or in the words of the provider. */
  readonly reason?: string
}

function passed(step: ExplainStep['step'], says: string): ExplainStep {
  return { step, passed: true, says }
}

/** What was decided when it happened: rows are the only witnesses. */
function stepsThen(rows: readonly DeliveryRow[]): ExplainStep[] {
  const best = maxHopeful(rows)
  const { status, reason } = best
  const step = status === 'withheld' && reason !== null ? stepsOfReasons[reason] : undefined
  if (step) {
    const says = 'It was kept back when it happened, or when its turn came.'
    return [{ step, passed: false, says, ...(reason !== null && { reason }) }]
  }
  return [
    passed('event', 'It was let through when it happened, and has a row for each device.'),
    {
      step: 'delivery',
      passed: status === 'sent',
      ...(reason !== null && { reason }),
      says: deliverySays[status],
    },
  ]
}

const deliverySays = {
  sent: 'The provider has taken it.',
  waiting: 'It waits for its turn, or for another attempt.',
  failed: 'The provider does not take it.',
  withheld: 'It was not sent when its turn came.',
} as const

/** Reasons that a row may have, and the step that gives them. */
const stepsOfReasons: Readonly<Record<string, StepName>> = {
  PUSH_SETTINGS_FLAG: 'flag',
  NO_PROVIDER: 'setup',
  BULK_CHANGE: 'recipient',
  BLOCKED: 'blocked',
  ALREADY_READ: 'read',
  ONLINE: 'online',
  NO_DEVICE: 'device',
  INVALID_PUSH_PROVIDER_ID: 'provider',
  USER_DEACTIVATED: 'recipient',
  MESSAGES_PREFERENCE: 'preferences',
  REPLIES_PREFERENCE: 'preferences',
  MESSAGE_ACTIONS_PREFERENCE: 'preferences',
  REACTIONS_PREFERENCE: 'preferences',
  GROUP_ACTIONS_PREFERENCE: 'preferences',
  CALL_PREFERENCE: 'preferences',
  DND_PREFERENCE: 'preferences',
  MUTE_PREFERENCE: 'preferences',
  SCHEDULE_PREFERENCE: 'preferences',
}

/** Nothing was written, so it is decided again, as it would be at this moment. */
async function stepsNow(
  ctx: ReadCtx,
  notificationEvent: NotificationEvent,
  uid: string,
): Promise<ExplainStep[]> {
  const config = await notificationConfigOf(ctx.db)
  const recipient = await recipientOf(ctx, notificationEvent, config, uid)
  const steps: ExplainStep[] = checkEligibility({
    notificationEvent,
    config,
    recipient,
    nowMs: ctx.now * 1000,
  })
  if (steps.some((step) => !step.passed)) return steps
  const says =
    'It would be sent now. Either the event has not reached a worker yet, or something was otherwise then.'
  return [...steps, { step: 'event', passed: false, reason: 'NOT_PLANNED', says }]
}

async function recipientOf(
  { db, now }: ReadCtx,
  notificationEvent: NotificationEvent,
  config: NotificationConfig,
  uid: string,
): Promise<Recipient> {
  const row = await findParticipant(db, notificationEvent.row, uid, notificationEvent.actor)
  const [recipient] = row ? await recipientsOf(db, notificationEvent, config, [row], now) : []
  return recipient ?? stranger(uid, config)
}

const hope = ['withheld', 'failed', 'waiting', 'sent']

/** One device that was reached is enough. */
function maxHopeful(rows: readonly DeliveryRow[]): DeliveryRow {
  const sorted = rows.toSorted((a, b) => hope.indexOf(b.status) - hope.indexOf(a.status))
  const [best] = sorted
  if (!best) throw new Error('There is no delivery to speak of.')
  return best
}

function shown({ dueAt, pushToken, status, attempts, ...row }: DeliveryRow) {
  const { provider, providerId, reason } = row
  return {
    ...(provider !== null && { provider }),
    ...(providerId !== null && { providerId }),
    ...(pushToken && { pushToken: mask(pushToken) }),
    status,
    attempts,
    ...(reason !== null && { reason }),
    ...(status === 'waiting' && { nextAttemptAt: Math.ceil(dueAt / 1000) }),
  }
}
