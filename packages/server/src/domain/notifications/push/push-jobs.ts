import type { NotificationReason } from '@chorale/contract/notifications'
import { LRUCache } from 'lru-cache'
import { v5 as nameBased } from 'uuid'
import type { InstallDb } from '../../../database/app-db.ts'
import { openLoader } from '../../../database/loader.ts'
import { pauseMs } from '../../../jobs/backoff.ts'
import type { Jobs } from '../../../jobs/runner.ts'
import type { FileAddresses } from '../../../storage/addresses.ts'
import type { PushOutcome } from '../../../transports/outcome.ts'
import type { Vault } from '../../../vault/vault.ts'
import { type Reader, unreadTotals } from '../../conversations/index.ts'
import { isLogged } from '../notification-config.ts'
import { type Credentials, credentialsOf } from '../providers/credentials.ts'
import { type PushLines, sendPush } from './push-calls.ts'
import { contextOf, dataFor, type PushContext } from './push-context.ts'
import {
  deleteOldDeliveries,
  type PushJob,
  pushQueue,
  type Result,
  recordPushes,
} from './push-queue.sql.ts'
import { markTokenGone } from './push-tokens.sql.ts'

export interface PushParts {
  readonly database: InstallDb
  readonly vault: Vault
  /** Of files, for devices that show pictures in a notification. */
  readonly addresses?: FileAddresses | undefined
  readonly lines: PushLines
  readonly clock: () => number
  readonly timeoutMs: number
}

/** Behind that nobody wants to hear of it. */
const worthwhileMs = 3_600_000
const backoff = { firstMs: 1000, maxMs: 300_000, jitter: true }
const keepSeconds = 14 * 86_400
/** Names the notifications of this service; any other would do. */
const namespace = '6f1c1ac4-52b6-4b4f-9e7e-2f8f4c5f3d51'
/** Long enough for all pushes of an event, short enough for a change of settings. */
const memoryMs = 2000

/** One push to one device each. */
export function pushJobs(parts: PushParts): Jobs<PushJob> {
  const { database, clock, timeoutMs } = parts
  const { db } = database
  const memory = openMemory(parts)
  const badges = openLoader({
    concurrency: 2,
    maxPerBatch: 200,
    async fetch(readers: readonly Reader[]) {
      const totals = await unreadTotals(db, readers, nameOfReader)
      return readers.map((reader) => totals.get(nameOfReader(reader)))
    },
    nameOf: nameOfReader,
  })
  // Not to read, but for the same reason: the results of one moment are one statement.
  const results = openLoader({
    concurrency: 2,
    maxPerBatch: 500,
    fetch: async (batch: readonly Result[]) => {
      await recordPushes(db, batch)
      return []
    },
    nameOf: ({ job }) => idOf(job),
  })

  async function attempt(job: PushJob): Promise<Result> {
    const now = clock()
    const context = await memory.context(job)
    if (!context) return { job, status: 'withheld', reason: 'NOT_FOUND' }
    const reason = objectionTo(job, context)
    if (reason !== undefined) return { job, status: 'withheld', reason }
    const by = await memory.credentials(job)
    if (!by) return { job, status: 'withheld', reason: 'INVALID_PUSH_PROVIDER_ID' }
    const data = dataFor(job, context)
    const { settings, region } = context.config
    const push = {
      job,
      data,
      id: idOf(job),
      region,
      timeoutMs,
      now,
      badge: job.kind === 'apns' ? ((await badges.load(job)) ?? 0) : 0,
      sound: settings.sound[job.tokenType],
    }
    const outcome = await sendPush(parts.lines, by, push)
    if (outcome.is === 'gone') {
      await markTokenGone({ appId: job.appId, db }, job.device, { asOf: now, now })
    }
    const logged = isLogged(context.config, now)
    return {
      ...resultOf(job, outcome),
      ...(logged && { payload: { payload: data } }),
      ...((logged || outcome.is !== 'accepted') && { response: outcome }),
    }
  }

  return {
    queue: pushQueue,
    // A token may have to be fetched before, and the answer to be recorded.
    limits: { leaseMs: 2 * timeoutMs + 5000 },
    async run(job) {
      const result = await attempt(job)
      await results.load(result)
      return result.status
    },
    async cleanup() {
      while (await deleteOldDeliveries(db, clock() - keepSeconds));
    },
  }
}

/** Why it is not sent; undefined: it is. */
function objectionTo(job: PushJob, context: PushContext): NotificationReason | undefined {
  if (job.kind !== 'custom' && job.platform === null) return 'NO_DEVICE'
  if (job.trigger !== 'after_message') return undefined
  if (context.isDeleted) return 'MESSAGE_DELETED'
  return job.readSeq >= context.seq ? 'ALREADY_READ' : undefined
}

function idOf({ appId, source, trigger, uid, device }: PushJob): string {
  return nameBased(`${appId} ${source} ${trigger} ${uid} ${device.toString('hex')}`, namespace)
}

function nameOfReader({ appId, uid }: Reader): string {
  return `${appId} ${uid}`
}

function resultOf(job: PushJob, outcome: PushOutcome): Result {
  if (outcome.is === 'accepted') return { job, status: 'sent' }
  if (outcome.is !== 'later') {
    const reason = outcome.is === 'gone' ? 'NOT_FOUND' : 'REFUSED'
    return { job, status: 'failed', reason }
  }
  const afterMs = Math.max(pauseMs(backoff, job.attempt), outcome.retryAfterMs ?? 0)
  return job.elapsedMs + afterMs < worthwhileMs
    ? { job, status: 'waiting', afterMs }
    : { job, status: 'failed', reason: 'TIMED_OUT' }
}

/** What many pushes of a moment have in common, read once. */
function openMemory({ database: { db }, vault, addresses }: PushParts) {
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
      once(contexts, `${appId} ${source} ${change}`, () =>
        contextOf({ appId, db }, about, addresses),
      ),
    credentials: ({ appId, kind, providerId }: PushJob) =>
      once(all, `${appId} ${kind} ${providerId ?? ''}`, () =>
        credentialsOf({ db: { appId, db }, vault }, kind, providerId),
      ),
  }
}
