import type { FastifyInstance } from 'fastify'
import { listenBacklog } from '../../../server/src/http/server.ts'
import { type Api, startApi } from '../../../server/src/main/parts/api-part.ts'
import { type Calls, type CallsOptions, openCalls } from '../../../server/src/main/parts/calls.ts'
import { type Core, type CoreOptions, openCore } from '../../../server/src/main/parts/core.ts'
import { startGateway } from '../../../server/src/main/parts/gateway-part.ts'
import { openOperations } from '../../../server/src/main/parts/operations-part.ts'
import { startWorker } from '../../../server/src/main/parts/worker-part.ts'
import type { Listener } from '../../../server/src/outbox/listener.ts'
import { throughPooler } from '../engines/pooler.ts'

export interface ServiceOptions extends CoreOptions, CallsOptions {
  /** Devices can connect where the API is. */
  readonly gateway?: boolean
}

/** The API in this process, on free ports; other parts as they are wanted. */
export interface Service extends AsyncDisposable {
  readonly core: Core
  readonly origin: string
  /** The same where the management API has no port of its own. */
  readonly managementOrigin: string
  readonly operationsOrigin: string
  /** By origin. */
  readonly servers: ReadonlyMap<string, FastifyInstance>
  startWorker(listeners: readonly Listener[]): void
}

export async function startService(options: ServiceOptions): Promise<Service> {
  await using stack = new AsyncDisposableStack()
  const config = throughPooler(options.config)
  const core = stack.use(await openCore({ ...options, config }))
  const calls: Calls = stack.use(await openCalls(core, options))
  const api: Api = stack.use(startApi(core, calls))
  if (options.gateway) stack.use(startGateway(core, calls, api.api.server))
  const operations = stack.use(openOperations(core))
  const servers = new Map<string, FastifyInstance>()
  const listen = async ({ server }: { readonly server: FastifyInstance }) => {
    const origin = await server.listen({ host: '127.0.0.1', port: 0, backlog: listenBacklog })
    servers.set(origin, server)
    return origin
  }
  const origin = await listen(api.api)
  const managementOrigin = api.management ? await listen(api.management) : origin
  const operationsOrigin = await listen(operations.listener)
  const owned = stack.move()
  return {
    core,
    origin,
    managementOrigin,
    operationsOrigin,
    servers,
    startWorker: (listeners) => void owned.use(startWorker(core, { listeners, isAlone: false })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
