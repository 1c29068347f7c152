import { v5 as nameBased } from 'uuid'
import type { AppDb, InstallDb } from '../../../database/app-db.ts'
import { pauseMs } from '../../../jobs/backoff.ts'
import type { Jobs } from '../../../jobs/runner.ts'
import type { PushOutcome } from '../../../transports/outcome.ts'
import type { Vault } from '../../../vault/vault.ts'
import { type NotificationConfig, notificationConfigOf } from '../notification-config.ts'
import { type DigestCarrier, findDigestCarriers } from './digests.sql.ts'
import { type DigestLines, sendDigest } from './digests-calls.ts'
import { contentsOf, type DigestContents } from './digests-contents.ts'
import {
  countDigests,
  type DigestJob,
  type DigestResult,
  digestQueue,
  recordDigest,
} from './digests-queue.sql.ts'

export interface DigestParts {
  readonly database: InstallDb
  readonly vault: Vault
  readonly lines: DigestLines
  readonly clock: () => number
  readonly timeoutMs: number
}

/** For so long a digest is tried. */
const worthwhileMs = 3_600_000
const backoff = { firstMs: 1000, maxMs: 300_000, jitter: true }
const dayMs = 86_400_000
/** Names the digests of this service; any other would do. */
const namespace = '0b2f0d0e-6a53-4d0c-9d7f-5a4c1f6a2f83'

/** Digests that have waited long enough, each to one user about one conversation. */
export function digestJobs(parts: DigestParts): Jobs<DigestJob> {
  const { database, vault, lines, clock, timeoutMs } = parts
  const { db } = database

  async function attempt(job: DigestJob): Promise<DigestResult> {
    const nowMs = clock() * 1000
    const here: AppDb = { appId: job.appId, db }
    const withheld = (reason: string): DigestResult => ({ status: 'withheld', reason })
    const config = await notificationConfigOf(here)
    const contents = await contentsOf(here, job, config, nowMs)
    if (typeof contents === 'string') return withheld(contents)
    const limits = config.settings.preferences[job.channel]
    const { all, here: ofThese } = await countDigests(db, job, dayMs)
    if (all >= limits.maxPerDay || ofThese >= limits.maxPerDayPerConversation) {
      return withheld('QUOTA_PREFERENCE')
    }
    const carriers = await findDigestCarriers(here)
    const carrier = carriers.find(({ channel }) => channel === job.channel)
    if (!carrier) return withheld('NO_PROVIDER')
    const address = addressOf(job, carrier)
    if (address === undefined) {
      return withheld(job.channel === 'email' ? 'MISSING_EMAIL' : 'MISSING_PHNO')
    }
    const data = dataOf(job, contents, address)
    const { region } = config
    const digest = { job, contents, data, id: idOf(job), address, region, timeoutMs }
    const outcome = await sendDigest(lines, { db: here, vault }, carrier, digest)
    const result = resultOf(job, carrier, outcome)
    return { ...result, provider: carrier.kind, ...logOf(config, job, contents, address, outcome) }
  }

  return {
    queue: digestQueue,
    // A mail server may take its time at every step of a conversation.
    limits: { leaseMs: 6 * timeoutMs },
    // What is old goes with the pushes.
    async run(job) {
      const result = await attempt(job)
      await recordDigest(db, job, result)
      return result.status
    },
  }
}

function idOf({ appId, deliveryId }: DigestJob): string {
  return nameBased(`${appId} ${deliveryId}`, namespace)
}

/** Empty: nobody needs it. Undefined: it is missing. */
function addressOf({ channel, email, phno }: DigestJob, { needsContact }: DigestCarrier) {
  if (!needsContact) return ''
  return (channel === 'email' ? email : phno) ?? undefined
}

function dataOf({ channel, uid, name }: DigestJob, contents: DigestContents, address: string) {
  const { headline, messages, from } = contents
  const reached = address !== '' && { [channel === 'email' ? 'email' : 'phno']: address }
  return {
    to: { uid, ...reached, name },
    messages,
    ...from,
    [channel === 'email' ? 'subject' : 'smsContent']: headline,
  }
}

/** Nobody reads the same message twice: its object stays out of the log. */
function logOf(
  { logEnabledAt }: NotificationConfig,
  job: DigestJob,
  contents: DigestContents,
  address: string,
  response: PushOutcome,
) {
  if (logEnabledAt === null) return {}
  const messages = contents.messages.map(({ sender, message }) => ({ sender, message }))
  return { payload: dataOf(job, { ...contents, messages }, address), response }
}

function resultOf(
  { attempt, elapsedMs }: DigestJob,
  { kind }: DigestCarrier,
  outcome: PushOutcome,
): DigestResult {
  if (outcome.is === 'accepted') return { status: 'sent' }
  const { reason } = outcome
  const failed = { status: 'failed' } as const
  if (outcome.is !== 'later') {
    return { ...failed, reason: kind === 'twilio' ? 'TWILIO_CREATE_ERROR' : reason }
  }
  const afterMs = Math.max(pauseMs(backoff, attempt), outcome.retryAfterMs ?? 0)
  const inTime = elapsedMs + afterMs < worthwhileMs
  return inTime ? { status: 'waiting', afterMs, reason } : { ...failed, reason: 'TIMED_OUT' }
}
