import { randomBytes } from 'node:crypto'
import { natsPrefix } from '../engines/nats-prefix.ts'
import type { Settings } from '../processes/program.ts'

/** Of a service that calls receivers on this machine, and shares only PostgreSQL and NATS. */
export function fixtureSettings(more: Settings): Settings {
  return {
    NATS_PREFIX: natsPrefix(),
    EGRESS_ALLOW: '127.0.0.0/8',
    EGRESS_HTTP: 'true',
    CHORALE_MASTER_KEY: randomBytes(32).toString('base64'),
    // Receivers answer at once, but the machine may be busy.
    WEBHOOK_TIMEOUT_MS: '10000',
    ...more,
  }
}
