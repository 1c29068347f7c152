import type { NotificationReason } from '@chorale/contract/notifications'
import { LRUCache } from 'lru-cache'
import { v5 as nameBased } from 'uuid'
import type { InstallDb } from '../../database/app-db.ts'
import { openLoader } from '../../database/loader.ts'
import type { PushOutcome } from '../../push/outcome.ts'
import type { Vault } from '../../vault/vault.ts'
import { type Reader, unreadTotals } from '../conversations/index.ts'
import { type Credentials, credentialsOf } from './credentials.ts'
import { isLogged } from './house.ts'
import { type PushLines, sendPush } from './push-calls.ts'
import { contextOf, dataFor, type PushContext } from './push-context.ts'
import {
  claimPushes,
  deleteOldDeliveries,
  type PushJob,
  type Result,
  recordPushes,
} from './push-queue.sql.ts'
import { markTokenGone } from './push-tokens.sql.ts'

export interface PushErrandParts {
  readonly database: InstallDb
  readonly vault: Vault
  readonly lines: PushLines
  readonly clockMs: () => number
  readonly timeoutMs: number
}

/** Behind that nobody wants to hear of it. */
const worthwhileMs = 3_600_000
const longestPauseMs = 300_000
const keepSeconds = 14 * 86_400
/** Names the notifications of this service; any other would do. */
const namespace = '6f1c1ac4-52b6-4b4f-9e7e-2f8f4c5f3d51'
/** Long enough for all pushes of an event, short enough for a change of settings. */
const memoryMs = 2000

/** One push at a time to one device each, as many of them at once as the courier carries. */
export function pushErrands(parts: PushErrandParts) {
  const { database, clockMs, timeoutMs } = parts
  const { db } = database
  const memory = openMemory(parts)
  const badges = openLoader({
    concurrency: 2,
    mostPerBatch: 200,
    async fetch(readers: readonly Reader[]) {
      const totals = await unreadTotals(db, readers, nameOfReader)
      return readers.map((reader) => totals.get(nameOfReader(reader)))
    },
    nameOf: nameOfReader,
  })
  // Not to read, but for the same reason: the results of one moment are one statement.
  const results = openLoader({
    concurrency: 2,
    mostPerBatch: 500,
    fetch: async (batch: readonly Result[]) => {
      await recordPushes(db, batch, clockMs())
      return []
    },
    nameOf: ({ job }) => idOf(job),
  })

  /** Undefined: sent, as far as it is known. A text: why it is not sent. */
  function objection(
    job: PushJob,
    context: PushContext | undefined,
  ): NotificationReason | undefined {
    if (!context) return 'NOT_FOUND'
    if (job.kind !== 'custom' && job.platform === null) return 'NO_DEVICE'
    if (job.trigger !== 'after_message') return undefined
    if (context.isDeleted) return 'MESSAGE_DELETED'
    return job.readSeq >= context.seq ? 'ALREADY_READ' : undefined
  }

  async function attempt(job: PushJob): Promise<Result> {
    const nowMs = clockMs()
    const context = await memory.context(job)
    const kept = objection(job, context)
    if (kept !== undefined || !context) {
      return { job, status: 'withheld', nextAtMs: nowMs, reason: kept ?? 'NOT_FOUND' }
    }
    const by = await memory.credentials(job)
    if (!by) {
      return { job, status: 'withheld', nextAtMs: nowMs, reason: 'INVALID_PUSH_PROVIDER_ID' }
    }
    const data = dataFor(job, context)
    const { settings, region } = context.house
    const push = {
      job,
      data,
      id: idOf(job),
      region,
      timeoutMs,
      now: Math.floor(nowMs / 1000),
      badge: job.kind === 'apns' ? ((await badges.load(job)) ?? 0) : 0,
      sound: settings.sound[job.tokenType],
    }
    const outcome = await sendPush(parts.lines, by, push)
    if (outcome.is === 'gone') {
      const at = Math.floor(nowMs / 1000)
      await markTokenGone({ appId: job.appId, db }, job.device, { asOf: at, now: at })
    }
    const logged = isLogged(context.house, push.now)
    return {
      ...resultOf(job, outcome, clockMs()),
      ...(logged && { payload: { payload: data } }),
      ...((logged || outcome.is !== 'accepted') && { response: outcome }),
    }
  }

  return {
    name: 'pushes',
    claim: (most: number) => claimPushes(db, clockMs(), leaseMs(timeoutMs), most),
    async carryOut(job: PushJob): Promise<string> {
      const result = await attempt(job)
      await results.load(result)
      return result.status
    },
    async tidy(): Promise<void> {
      const before = Math.floor(clockMs() / 1000) - keepSeconds
      while (await deleteOldDeliveries(db, before));
    },
  }
}

/** A token may have to be fetched before, and the answer to be recorded. */
function leaseMs(timeoutMs: number): number {
  return 2 * timeoutMs + 5000
}

function idOf({ appId, source, trigger, uid, device }: PushJob): string {
  return nameBased(`${appId} ${source} ${trigger} ${uid} ${device.toString('hex')}`, namespace)
}

function nameOfReader({ appId, uid }: Reader): string {
  return `${appId} ${uid}`
}

function resultOf(job: PushJob, outcome: PushOutcome, nowMs: number): Result {
  if (outcome.is === 'accepted') return { job, status: 'sent', nextAtMs: nowMs }
  if (outcome.is !== 'later') {
    const reason = outcome.is === 'gone' ? 'NOT_FOUND' : 'REFUSED'
    return { job, status: 'failed', nextAtMs: nowMs, reason }
  }
  const pauseMs = Math.min(1000 * 2 ** (job.attempt - 1), longestPauseMs) * (0.5 + Math.random())
  const nextAtMs = Math.ceil(nowMs + Math.max(pauseMs, outcome.retryAfterMs ?? 0))
  const inTime = nextAtMs < job.createdAt * 1000 + worthwhileMs
  return inTime
    ? { job, status: 'waiting', nextAtMs }
    : { job, status: 'failed', nextAtMs: nowMs, reason: 'TIMED_OUT' }
}

/** What many pushes of a moment have in common, read once. */
function openMemory({ database: { db }, vault }: PushErrandParts) {
  const remembering = <T>(max: number) =>
    new LRUCache<string, { readonly value: Promise<T> }>({ max, ttl: memoryMs })
  const contexts = remembering<PushContext | undefined>(100)
  const all = remembering<Credentials | undefined>(1000)

  function once<T>(
    cache: LRUCache<string, { readonly value: Promise<T> }>,
    name: string,
    read: () => Promise<T>,
  ): Promise<T> {
    const known = cache.get(name)
    if (known) return known.value
    const value = read()
    cache.set(name, { value })
    // Neither is remembered: what failed, of which whoever waits for it hears, and what is not there.
    value.then(
      (found) => found === undefined && cache.delete(name),
      () => cache.delete(name),
    )
    return value
  }

  return {
    // Each event has its own, and each state of what it is about.
    context: ({ appId, source, change, about }: PushJob) =>
      once(contexts, `${appId} ${source} ${change}`, () => contextOf({ appId, db }, about)),
    credentials: ({ appId, kind, providerId }: PushJob) =>
      once(all, `${appId} ${kind} ${providerId ?? ''}`, () =>
        credentialsOf({ db: { appId, db }, vault }, kind, providerId),
      ),
  }
}
