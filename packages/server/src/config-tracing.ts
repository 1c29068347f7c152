import { Type } from 'typebox'

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.String({
    default: '',
    pattern: '^(https?://.+)?$',
    description:
      'OpenTelemetry collector that spans are sent to, as OTLP in JSON over HTTP: ' +
      '`http://collector:4318`. Empty: nothing is traced.',
  }),
  OTEL_SERVICE_NAME: Type.String({
    default: 'chorale',
    description: 'What this install is called in traces.',
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description:
      'Of the traces that begin here, how many are recorded: 0.01 is one in a hundred. Where the ' +
      'caller sends a `traceparent`, that decides.',
  }),
}
