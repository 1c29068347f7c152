import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { versionOfPackage } from './version.ts'

/** Undefined: nothing is traced, and what would is not even loaded. */
export async function openConfiguredTracer(
  config: Config,
  log: Logger,
): Promise<Tracer | undefined> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return undefined
  const { openOtlpTracer } = await import('../tracing/otlp-tracer.ts')
  return openOtlpTracer({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    service: config.OTEL_SERVICE_NAME,
    version: versionOfPackage(),
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    log,
  })
}
