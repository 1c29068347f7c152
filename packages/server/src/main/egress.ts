import { type Config, ConfigError } from '../config.ts'
import { type Egress, openEgress } from '../egress/egress.ts'

export function urlRulesOf({ EGRESS_ALLOW, EGRESS_HTTP }: Config) {
  return { allow: EGRESS_ALLOW, http: EGRESS_HTTP }
}

export function openConfiguredEgress(config: Config): Egress {
  try {
    return openEgress({
      ...urlRulesOf(config),
      all: config.EGRESS_CONCURRENCY,
      perTarget: config.EGRESS_CONCURRENCY_PER_TARGET,
      breaker: {
        failures: config.EGRESS_BREAKER_FAILURES,
        restMs: config.EGRESS_BREAKER_REST_MS,
      },
    })
  } catch (error) {
    // The ranges are all that can be wrong.
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
