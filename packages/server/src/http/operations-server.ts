import { type FastifyInstance, fastify } from 'fastify'
import type { Health } from '../operations/health.ts'
import { answerHeaders } from '../web/answer-headers.ts'

export interface OperationsParts {
  readonly version: string
  readonly metrics: {
    readonly contentType: string
    read(): Promise<string>
  }
  readonly health: Pick<Health, 'read'>
}

/**
 * For people and machines that look after a process, whatever parts it runs. Errors name hosts and
 * databases: so these pages have a port of their own, and no page of a browser may read them.
 */
export function buildOperationsServer({
  version,
  metrics,
  health,
}: OperationsParts): FastifyInstance {
  const server = fastify({ logger: false, forceCloseConnections: true, pluginTimeout: 0 })
  server.addHook('onRequest', (_, reply, done) => {
    reply.headers(answerHeaders(0))
    done()
  })
  server.get('/healthz', () => ({ status: 'ok', version }))
  server.get('/readyz', async (_, reply) => {
    const { ready, degraded, checks } = await health.read()
    return reply.code(ready ? 200 : 503).send({ ready, degraded, ...checks })
  })
  server.get('/metrics', async (_, reply) =>
    reply.type(metrics.contentType).send(await metrics.read()),
  )
  return server
}
