import type { Logger } from 'pino'
import type { DeadLetters } from '../bus/dead-letters.ts'
import type { Signals } from '../bus/signals.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Database } from '../database/pool.ts'
import { erasureJobs } from '../domain/apps/index.ts'
import { userErasureJobs } from '../domain/erasures/index.ts'
import { fileCheckJobs, fileRemovalJobs, removeFilesOfApp } from '../domain/files/index.ts'
import { classificationJobs, submissionJobs } from '../domain/moderation/index.ts'
import { digestJobs, pushJobs } from '../domain/notifications/index.ts'
import { retentionJobs } from '../domain/retention/index.ts'
import type { Compiler } from '../domain/rules/compiler/index.ts'
import { dryRunJobs } from '../domain/rules/dry-runs/index.ts'
import type { RuleCheck } from '../domain/rules/index.ts'
import { deliveryJobs } from '../domain/webhooks/index.ts'
import type { Egress } from '../egress/egress.ts'
import type { JobMetrics } from '../jobs/metrics.ts'
import { type RunnerOptions, startRunner } from '../jobs/runner.ts'
import type { WakeUp } from '../jobs/wake-up.ts'
import type { CommitHook } from '../outbox/committed.ts'
import type { Listened } from '../outbox/listener.ts'
import { openTransactions, type Transactions } from '../outbox/unit-of-work.ts'
import { openUploadProgress } from '../realtime/announce.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { openSendGrid } from '../transports/email.ts'
import { openTwilio } from '../transports/sms.ts'
import { openSmtp } from '../transports/smtp.ts'
import type { Vault } from '../vault/vault.ts'
import { authoritiesOf } from './configured-egress.ts'
import type { Files } from './configured-files.ts'
import { openPushLines } from './push-lines.ts'

interface JobOptions {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly egress: Egress
  readonly onCommit: CommitHook
  readonly checkRules: RuleCheck
  readonly compiler: Compiler
  readonly clock: () => number
  readonly log: Logger
  readonly letters: DeadLetters
  readonly listened: Listened
  readonly wakeUp: WakeUp
  readonly signals: Pick<Signals, 'publish'>
  readonly metrics: JobMetrics
  readonly tracer: Tracer | undefined
  readonly files: Files
}

interface JobParts extends JobOptions {
  readonly transactions: Transactions
}

/** No app may hold more than one in so many of the places. */
const appsAtLeast = 5
/** Digests that a worker has under way at once: none of them is in a hurry. */
const digestsAtOnce = 20
const submissionsAtOnce = 10
const fileChecksAtOnce = 4
const fileRemovalsAtOnce = 20

/** Webhooks told, pushes and digests sent, classifiers asked, rules tried out, files checked and removed, apps and users erased: a runner for each. */
export function startConfiguredJobs(options: JobOptions): AsyncDisposable {
  const { database, onCommit, clock } = options
  const transactions = openTransactions({ begin: database.transaction, onCommit, clock })
  const parts = { ...options, transactions }
  const stack = new AsyncDisposableStack()
  stack.use(startWebhookJobs(parts))
  stack.use(startClassificationJobs(parts))
  stack.use(startPushJobs(parts))
  stack.use(startDigestJobs(parts))
  stack.use(startRunner(dryRunJobs(parts), runnerOptions(parts, 1)))
  const submissions = submissionJobs({ ...parts, ...classifierTimesOf(parts) })
  stack.use(startRunner(submissions, runnerOptions(parts, submissionsAtOnce)))
  const forgetLetters = (appId: string, uid?: string) => parts.letters.forget(appId, uid)
  const removeFiles = removeFilesOfApp(parts.files.stores)
  const erasures = erasureJobs({ ...parts, forgetLetters, removeFiles })
  stack.use(startRunner(erasures, runnerOptions(parts, 1)))
  const ofUsers = userErasureJobs({
    ...parts,
    forgetLetters,
    eventHours: options.config.NATS_STREAM_HOURS,
  })
  stack.use(startRunner(ofUsers, runnerOptions(parts, 1)))
  stack.use(startRunner(retentionJobs(parts), runnerOptions(parts, 1)))
  stack.use(startFileJobs(parts))
  return stack
}

function startFileJobs(parts: JobParts): AsyncDisposable {
  const { stores, checks } = parts.files
  const stack = new AsyncDisposableStack()
  const ofFiles = { ...parts, stores, checks, progress: openUploadProgress(parts.signals) }
  stack.use(startRunner(fileCheckJobs(ofFiles), runnerOptions(parts, fileChecksAtOnce)))
  stack.use(startRunner(fileRemovalJobs(ofFiles), runnerOptions(parts, fileRemovalsAtOnce)))
  return stack
}

function startPushJobs(parts: JobParts): AsyncDisposable {
  const { config, database, vault, clock } = parts
  const { addresses } = parts.files
  const { PUSH_TIMEOUT_MS: timeoutMs } = config
  const stack = new AsyncDisposableStack()
  const lines = stack.use(openPushLines(parts))
  const jobs = pushJobs({ database, vault, addresses, lines, timeoutMs, clock })
  // Ends before the lines do.
  stack.use(startRunner(jobs, runnerOptions(parts, config.PUSH_CONCURRENCY)))
  return stack
}

function startDigestJobs(parts: JobParts): AsyncDisposable {
  const { config, database, vault, egress, clock } = parts
  const { PUSH_TIMEOUT_MS: timeoutMs } = config
  const stack = new AsyncDisposableStack()
  const smtp = smtpOf(config)
  const lines = {
    egress,
    sendGrid: openSendGrid({ egress, timeoutMs, origin: config.SENDGRID_ORIGIN }),
    twilio: openTwilio({ egress, timeoutMs, origin: config.TWILIO_ORIGIN }),
    smtp: smtp && { server: stack.use(openSmtp(smtp)), from: config.SMTP_FROM },
  }
  const jobs = digestJobs({ database, vault, lines, timeoutMs, clock })
  stack.use(startRunner(jobs, runnerOptions(parts, digestsAtOnce)))
  return stack
}

function runnerOptions(parts: JobParts, concurrency: number): RunnerOptions {
  // Half is for what is closed behind it.
  return { ...parts, concurrency, graceMs: parts.config.SHUTDOWN_TIMEOUT_MS / 2 }
}

/** Undefined: the operator has no mail server. */
function smtpOf(config: Config) {
  if (config.SMTP_URL === '') return undefined
  if (!config.SMTP_FROM.includes('@')) {
    throw new ConfigError('SMTP_FROM must be an address, where there is an SMTP_URL.')
  }
  const url = URL.parse(config.SMTP_URL)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol)) {
    throw new ConfigError('SMTP_URL must look like smtp://user:password@mail.example:587.')
  }
  const secure = url.protocol === 'smtps:'
  return {
    host: url.hostname,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    ...(url.username && {
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    }),
    timeoutMs: config.PUSH_TIMEOUT_MS,
    ...authoritiesOf(config),
  }
}

function classifierTimesOf({ config }: JobParts) {
  return { timeoutMs: config.CLASSIFIER_TIMEOUT_MS, retryMs: config.CLASSIFIER_RETRY_MS }
}

function startClassificationJobs(parts: JobParts): AsyncDisposable {
  const { config } = parts
  const concurrency = config.EGRESS_CONCURRENCY
  const jobs = classificationJobs({
    ...parts,
    ...classifierTimesOf(parts),
    perApp: Math.ceil(concurrency / appsAtLeast),
    budgetMs: config.CLASSIFIER_BUDGET_MS,
    addresses: parts.files.addresses,
  })
  return startRunner(jobs, runnerOptions(parts, concurrency))
}

function startWebhookJobs(parts: JobParts): AsyncDisposable {
  const { config } = parts
  const concurrency = config.EGRESS_CONCURRENCY
  const perWebhook = config.EGRESS_CONCURRENCY_PER_TARGET
  const jobs = deliveryJobs({
    ...parts,
    perWebhook,
    perApp: Math.max(perWebhook, Math.ceil(concurrency / appsAtLeast)),
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
    retryMs: config.WEBHOOK_RETRY_MS,
    keepDays: config.WEBHOOK_KEEP_DAYS,
    disableDays: config.WEBHOOK_DISABLE_DAYS,
  })
  return startRunner(jobs, runnerOptions(parts, concurrency))
}
