import { buildOperationsServer } from '../../http/operations-server.ts'
import type { Core } from './core.ts'
import type { HttpListener } from './listener.ts'

/** `/healthz`, `/readyz` and `/metrics` of the process, whatever parts it runs; on no other port. */
export function openOperations({ config, version, metrics, health }: Core) {
  const { registry } = metrics
  const listener: HttpListener = {
    name: 'operations',
    server: buildOperationsServer({
      version,
      metrics: { contentType: registry.contentType, read: () => registry.metrics() },
      health,
    }),
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
  }
  return { listener, [Symbol.asyncDispose]: () => listener.server.close() }
}
