import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Database } from '../database/pool.ts'
import { webhookErrands } from '../domain/webhooks/index.ts'
import type { Egress } from '../egress/egress.ts'
import type { Sink } from '../outbox/committed.ts'
import type { Vault } from '../vault/vault.ts'
import { startCourier } from '../worker/courier.ts'

interface CourierParts {
  readonly config: Config
  readonly database: Database
  readonly vault: Vault
  readonly egress: Egress
  readonly sink: Sink
  readonly clock: () => number
  readonly log: Logger
}

/** No app may hold more than one in so many of the places. */
const appsAtLeast = 5

export function startConfiguredCourier({ config, log, ...parts }: CourierParts): AsyncDisposable {
  const concurrency = config.EGRESS_CONCURRENCY
  const perWebhook = config.EGRESS_CONCURRENCY_PER_TARGET
  const errands = webhookErrands({
    ...parts,
    perWebhook,
    perApp: Math.max(perWebhook, Math.ceil(concurrency / appsAtLeast)),
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
    retryMs: config.WEBHOOK_RETRY_MS,
    keepDays: config.WEBHOOK_KEEP_DAYS,
    disableDays: config.WEBHOOK_DISABLE_DAYS,
  })
  return startCourier(errands, { concurrency, log })
}
