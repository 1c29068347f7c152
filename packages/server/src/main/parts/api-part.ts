import type { Calls } from './calls.ts'
import type { Core } from './core.ts'
import { buildCallServer, type HttpListener } from './listener.ts'

export interface Api extends AsyncDisposable {
  /** The chat API, and the management API unless it has a port of its own. */
  readonly api: HttpListener
  readonly management: HttpListener | undefined
}

/** Builds the listeners of the API. They do not listen yet: the gateway may share one. */
export function startApi(core: Core, calls: Calls): Api {
  const { HOST, PORT, MANAGEMENT_HOST, MANAGEMENT_PORT } = core.config
  const isApart = MANAGEMENT_PORT !== 0
  const api: HttpListener = {
    name: 'api',
    server: buildCallServer(core, calls, isApart ? 'chat' : 'both'),
    host: HOST,
    port: PORT,
  }
  const management: HttpListener | undefined = isApart
    ? {
        name: 'management',
        server: buildCallServer(core, calls, 'management'),
        host: MANAGEMENT_HOST,
        port: MANAGEMENT_PORT,
      }
    : undefined
  return {
    api,
    management,
    async [Symbol.asyncDispose]() {
      await management?.server.close()
      await api.server.close()
    },
  }
}
