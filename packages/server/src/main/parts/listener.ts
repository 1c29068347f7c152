import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { type Config, originsOf } from '../../config.ts'
import { buildServer, type HttpParts, listenBacklog } from '../../http/server.ts'
import type { Calls } from './calls.ts'
import type { Core } from './core.ts'

/** A server that does not listen yet, and where it will. */
export interface HttpListener {
  readonly name: 'api' | 'management' | 'gateway' | 'operations'
  readonly server: FastifyInstance
  readonly host: string
  readonly port: number
}

export async function listen({ name, server, host, port }: HttpListener, log: Logger) {
  const address = await server.listen({ host, port, backlog: listenBacklog })
  log.info({ serves: name, address }, 'listening')
}

/** Takes no new connections, and keeps those that are there. Resolves when the last has ended. */
export function leave({ server }: HttpListener): Promise<void> {
  return new Promise((resolve) => {
    // That of HTTP would close idle connections, on which a request may be on its way.
    Server.prototype.close.call(server.server, () => resolve())
  })
}

/** A server for calls. `serves`: which operations it has routes for. */
export function buildCallServer(
  core: Core,
  calls: Calls,
  serves: HttpParts['serves'],
): FastifyInstance {
  const { config, log, metrics, version } = core
  return buildServer({
    serves,
    pipeline: calls.pipeline,
    clientAddress: calls.clientAddress,
    observe: metrics.observe,
    docs: config.DOCS === 'on' ? version : undefined,
    pages: core.pages,
    consoleFiles: core.consoleFiles,
    log,
    origins: originsOf(config),
    signIn: calls.signIn,
    connections: connectionsOf(config),
    hstsSeconds: config.HSTS_SECONDS,
    leaving: core.leaving,
    tracer: core.tracer,
    folder: core.files.folder,
    filesOrigin: core.files.origin,
    forms: calls.forms,
  })
}

/** Of a listener: sockets of the gateway, strangers among them, and calls. */
function connectionsOf({ GATEWAY_CONNECTIONS, GATEWAY_PENDING }: Config): number {
  return GATEWAY_CONNECTIONS + GATEWAY_PENDING + 5000
}
