import type { Attempt } from '@chorale/contract/webhooks'
import type { InstallDb } from '../../database/app-db.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import { type Egress, EgressError } from '../../egress/egress.ts'
import type { Jobs } from '../../jobs/runner.ts'
import type { AppTransaction, Transactions } from '../../outbox/unit-of-work.ts'
import type { Vault } from '../../vault/vault.ts'
import { callWebhook } from './call.ts'
import {
  advanceOrderingKey,
  type DeliveryJob,
  deliveryQueue,
  disableWebhook,
  holdOrderingKey,
  noteFailure,
  noteSuccess,
  recordAttempt,
  releaseOrderingKey,
  restWebhook,
} from './delivery-jobs.sql.ts'
import { deleteOldDeliveries, deleteOldOrderingKeys } from './queue.sql.ts'
import { mayWait, retryAfterMs } from './schedule.ts'

export interface DeliveryParts {
  readonly database: InstallDb
  readonly transactions: Transactions
  readonly vault: Vault
  readonly egress: Egress
  readonly clock: () => number
  readonly perWebhook: number
  readonly perApp: number
  readonly timeoutMs: number
  /** The pause before the first retry; all others are multiples of it. */
  readonly retryMs: number
  readonly keepDays: number
  /** After so many days of nothing but failures a webhook is switched off. */
  readonly disableDays: number
}

const daySeconds = 86_400
/** Of an answer, for the log. */
const maxBytes = 4096
/** Beyond the call itself: to wait for its turn, and to record it. */
const leaseGraceMs = 10_000

/** Calls webhooks, one delivery of an ordering key at a time. */
export function deliveryJobs(parts: DeliveryParts): Jobs<DeliveryJob> {
  const { database, transactions, clock, perApp, perWebhook } = parts
  return {
    queue: deliveryQueue,
    limits: { leaseMs: parts.timeoutMs + leaseGraceMs, perApp, perGroup: perWebhook },
    async run(job) {
      const attempt = job.deliveryId === null ? undefined : await tryOnce(parts, job)
      await transactions.inApp(job.appId, async (ctx) => {
        if (await holdOrderingKey(ctx.db.db, job)) await record(parts, ctx, job, attempt)
      })
      return outcomeOf(attempt)
    },
    async cleanup() {
      const before = clock() - parts.keepDays * daySeconds
      while ((await deleteOldDeliveries(database.db, before)) > 0);
      await deleteOldOrderingKeys(database.db)
    },
  }
}

function outcomeOf(attempt: Attempt | 'not tried' | undefined): string {
  if (attempt === undefined || attempt === 'not tried') return 'not tried'
  return isTaken(attempt) ? 'sent' : 'failed'
}

function isTaken({ status }: Attempt): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** `not tried`: the way there is blocked, which says nothing about this delivery. */
async function tryOnce(parts: DeliveryParts, job: DeliveryJob): Promise<Attempt | 'not tried'> {
  const at = parts.clock()
  const start = performance.now()
  const tookMs = () => Math.round(performance.now() - start)
  try {
    const { status, body } = await callWebhook({ ...parts, maxBytes }, job, { ...job, at })
    return { at, tookMs: tookMs(), status, answer: storable(body) }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    const blocked = error.reason === 'breaker-open' || error.reason === 'busy'
    return blocked ? 'not tried' : { at, tookMs: tookMs(), error: error.message }
  }
}

/** PostgreSQL takes no NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

async function record(
  parts: DeliveryParts,
  ctx: AppTransaction,
  job: DeliveryJob,
  attempt: Attempt | 'not tried' | undefined,
): Promise<void> {
  const { now } = ctx
  const { db } = ctx.db
  const trying = { ...job, tries: job.tries + 1 }
  if (attempt === undefined) await advanceOrderingKey(db, job)
  else if (attempt !== 'not tried') {
    await recordTried(parts, ctx, job, attempt, trying)
  } else if (mayWait(trying, parts.retryMs)) {
    await releaseOrderingKey(db, job, 0)
    await restWebhook(db, job, Math.ceil(parts.retryMs / 10))
  } else {
    const error = 'The receiver does not answer, and was left alone.'
    await recordTried(parts, ctx, job, { at: now, tookMs: 0, error }, trying)
  }
}

async function recordTried(
  parts: DeliveryParts,
  ctx: AppTransaction,
  job: DeliveryJob,
  attempt: Attempt,
  trying: Parameters<typeof retryAfterMs>[0],
): Promise<void> {
  const { db } = ctx.db
  const taken = isTaken(attempt)
  const pauseMs = taken ? undefined : retryAfterMs(trying, parts.retryMs)
  const nextAttemptAt = pauseMs === undefined ? null : attempt.at + Math.ceil(pauseMs / 1000)
  const status = taken ? 'delivered' : pauseMs === undefined ? 'failed' : 'waiting'
  await recordAttempt(db, job, attempt, { status, nextAttemptAt })
  if (pauseMs === undefined) await advanceOrderingKey(db, job)
  else await releaseOrderingKey(db, job, pauseMs)
  if (taken) await noteSuccess(db, job)
  else await recordFailure(parts, ctx, job)
}

/** Nothing but failures for days: it is switched off, and an event says so. */
async function recordFailure(
  { disableDays }: DeliveryParts,
  { db: { db }, outbox, now }: AppTransaction,
  job: DeliveryJob,
): Promise<void> {
  const failingSince = job.failingSince ?? (await noteFailure(db, job, now))
  if (now - failingSince < disableDays * daySeconds) return
  if (!(await disableWebhook(db, job, now))) return
  const { appId, webhookId } = job
  await writeAuditLog(db, {
    appId,
    at: now,
    caller: 'system:webhooks',
    operation: 'disableWebhook',
    input: { webhookId, failingSince },
    requestId: '',
  })
  await outbox.append('webhook.disabled', { webhookId, failingSince })
}
