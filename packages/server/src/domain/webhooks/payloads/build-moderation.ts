import type { AppDb } from '../../../database/app-db.ts'
import type { HeardEvent } from '../../../outbox/listener.ts'
import { rawObject, withFields } from '../../../pipeline/raw-json.ts'
import type { Receiver } from '../../../realtime/ports.ts'
import { opened, type Verdict } from '../../log/entries/index.ts'
import { findEntry, findReceiver } from '../../log/index.ts'
import { findSubmitted } from '../../moderation/index.ts'
import { profilesIn, serialiseEntries } from '../../views/index.ts'
import { type How, orderingKeyOf, type Wanted, type WebhookPayload } from './payload.ts'
import { type CaughtRow, type FlagRow, findCaught, findFlag } from './payload-rows.sql.ts'

/** A rule has blocked a message. What moderators withhold themselves, webhooks do not get. */
export async function buildBlocked(
  { payload, at }: HeardEvent<'message.blocked'>,
  db: AppDb,
  wanted: Wanted,
  { addresses }: How,
): Promise<WebhookPayload[]> {
  const trigger = 'moderation_engine_blocked'
  if (payload.by !== 'rule' || !wanted(2, trigger)) return []
  const seen = await messageAt(db, payload, addresses)
  const { verdict } = seen ?? {}
  if (!seen || !verdict) return []
  const data = dataOf(seen.message, { moderation: blockedBy(verdict, at) })
  return [{ version: 2, trigger, data, orderingKey: orderingKeyOf(seen.receiver) }]
}

/** A moderator has approved what a rule had blocked: it was delivered, and is delivered to webhooks as sent, too. */
export async function buildApproved(
  { payload }: HeardEvent<'message.approved'>,
  db: AppDb,
  wanted: Wanted,
  { addresses }: How,
): Promise<WebhookPayload[]> {
  const trigger = 'moderation_manual_approved'
  if (payload.by !== 'moderator' || payload.blockedId === undefined) return []
  if (!wanted(2, trigger)) return []
  const seen = await messageAt(db, payload, addresses)
  const caught = await findCaught(db, payload.blockedId)
  if (!seen || !caught) return []
  const data = dataOf(seen.message, { moderation: overruled(caught) })
  return [{ version: 2, trigger, data, orderingKey: orderingKeyOf(seen.receiver) }]
}

/** A user has flagged a message, or a rule, which stands under `moderation`. */
export async function buildFlagged(
  { payload, at }: HeardEvent<'message.flagged'>,
  db: AppDb,
  wanted: Wanted,
  { addresses }: How,
): Promise<WebhookPayload[]> {
  const trigger = 'message_flagged'
  const seen = wanted(2, trigger) ? await messageAt(db, payload, addresses) : undefined
  if (!seen) return []
  const flag = payload.uid === undefined ? undefined : await findFlag(db, payload.id, payload.uid)
  const { verdict } = seen
  const caught = payload.by === 'rule' && verdict ? blockedBy(verdict, at) : undefined
  const data = dataOf(seen.message, { flag, moderation: caught })
  return [{ version: 2, trigger, data, orderingKey: orderingKeyOf(seen.receiver) }]
}

/** What its `onError` says was done: the message is as it is since then. */
export async function buildModerationFailed(
  { payload }: HeardEvent<'message.moderationFailed'>,
  db: AppDb,
  wanted: Wanted,
  { addresses }: How,
): Promise<WebhookPayload[]> {
  const trigger = 'moderation_engine_failed'
  const seen = wanted(2, trigger) ? await messageAt(db, payload, addresses) : undefined
  if (!seen) return []
  const data = dataOf(seen.message, { moderation: payload.failures })
  return [{ version: 2, trigger, data, orderingKey: orderingKeyOf(seen.receiver) }]
}

const triggersOfSubmissions = {
  rules: { approved: 'moderation_engine_approved', disapproved: 'moderation_engine_blocked' },
  moderator: { approved: 'moderation_manual_approved', disapproved: undefined },
} as const

/** What was edited since it was moderated is moderated again, and delivered to webhooks then. */
export async function buildSubmission(
  { payload, at }: HeardEvent<'submission.moderated'>,
  db: AppDb,
  wanted: Wanted,
): Promise<WebhookPayload[]> {
  const { id, by, status } = payload
  const trigger = triggersOfSubmissions[by][status]
  const seen = trigger && wanted(2, trigger) && (await findSubmitted(db, payload))
  if (!seen) return []
  const { message, receiver, verdict } = seen
  const orderingKey = orderingKeyOf(receiver)
  if (status === 'disapproved' && verdict) {
    const data = dataOf(message, { moderation: blockedBy(verdict, at) })
    return [{ version: 2, trigger, data, orderingKey }]
  }
  const caught = by === 'moderator' ? await findCaught(db, id) : undefined
  const data = dataOf(message, { moderation: caught && overruled(caught) })
  return [{ version: 2, trigger, data, orderingKey }]
}

interface SeenMessage {
  readonly message: string
  readonly receiver: Receiver
  readonly verdict: Verdict | null
}

/** As its sender sees it. */
async function messageAt(
  db: AppDb,
  { bucket, key, seq }: { readonly bucket: number; readonly key: number; readonly seq: number },
  addresses: How['addresses'],
): Promise<SeenMessage | undefined> {
  const receiver = await findReceiver(db, { bucket, key })
  const row = receiver && (await findEntry(db, { bucket, key }, seq))
  if (!row) return undefined
  const verdict = row.verdict ?? null
  const shown = verdict?.sealed ? opened(row, verdict.sealed) : row
  const entries = [{ row: shown, receiver }]
  const [message = '{}'] = await serialiseEntries(db, profilesIn(db), entries, {
    viewer: undefined,
    addresses,
  })
  return { message, receiver, verdict }
}

interface Circumstances {
  readonly flag?: FlagRow | undefined
  readonly moderation?: readonly object[] | undefined
}

/** The message is JSON text as it is. */
function dataOf(message: string, more: Circumstances): string {
  return withFields(rawObject({}, { message }), more)
}

function blockedBy(verdict: Verdict, at: number) {
  const { reason } = verdict
  return [{ condition: conditionOf(verdict), rule: ruleOf(verdict, at), reason }]
}

function overruled({ verdict, openedAt }: CaughtRow) {
  return verdict
    ? [{ rule: { ...ruleOf(verdict, openedAt), condition: conditionOf(verdict) } }]
    : []
}

function conditionOf({ condition }: Verdict) {
  return condition && { ...condition, weight: 1 }
}

function ruleOf({ rule, actions }: Verdict, blockedAt: number) {
  return { id: rule?.id, revisionId: rule?.revisionId, action: actions, blockedAt }
}
