import { readFileSync } from 'node:fs'
import { type Config, ConfigError } from '../config.ts'
import { type Egress, openEgress } from '../egress/egress.ts'

export function urlRulesOf({ EGRESS_ALLOW, EGRESS_HTTP }: Config) {
  return { allow: EGRESS_ALLOW, http: EGRESS_HTTP }
}

/** Undefined: the well-known ones. */
export function authoritiesOf({ EGRESS_CA_FILE: path }: Config): { readonly ca?: string } {
  if (path === '') return {}
  try {
    return { ca: readFileSync(path, 'utf8') }
  } catch {
    throw new ConfigError(`EGRESS_CA_FILE: ${path} cannot be read.`)
  }
}

export function openConfiguredEgress(config: Config): Egress {
  const authorities = authoritiesOf(config)
  try {
    return openEgress({
      ...urlRulesOf(config),
      ...authorities,
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
