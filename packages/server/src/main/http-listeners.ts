import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { buildServer, type HttpParts } from '../http/server.ts'

export interface HttpListener {
  readonly server: FastifyInstance
  readonly host: string
  readonly port: number
}

type SharedParts = Omit<HttpParts, 'serves' | 'audience'>

export interface HttpListeners {
  /** The chat API, and the management API unless it has a port of its own. */
  readonly api: HttpListener
  readonly management: HttpListener | undefined
  readonly operator: HttpListener | undefined
}

export function buildListeners(config: Config, parts: SharedParts): HttpListeners {
  const { HOST: host, PORT: port, MANAGEMENT_PORT, OPERATOR_PORT, OPERATOR_HOST } = config
  const audience = audienceOf(config)
  const together = MANAGEMENT_PORT === 0 && OPERATOR_PORT === 0
  const api = buildServer({ ...parts, serves: together ? 'both' : 'chat', audience })
  return {
    api: { server: api, host, port },
    management:
      MANAGEMENT_PORT === 0
        ? undefined
        : {
            server: buildServer({ ...parts, serves: 'management', audience }),
            host,
            port: MANAGEMENT_PORT,
          },
    operator:
      OPERATOR_PORT === 0
        ? undefined
        : {
            // No page of a browser on the operator's machine may read what is here.
            server: buildServer({
              ...parts,
              serves: 'management',
              audience: 'operator',
              origins: [],
            }),
            host: OPERATOR_HOST,
            port: OPERATOR_PORT,
          },
  }
}

/** The gateway alone, where the API is not or has another port. */
export function buildGatewayListener(config: Config, parts: SharedParts): HttpListener {
  return {
    server: buildServer({ ...parts, serves: 'none', audience: audienceOf(config) }),
    host: config.HOST,
    port: config.GATEWAY_PORT || config.PORT,
  }
}

function audienceOf({ OPERATOR_PORT }: Config): HttpParts['audience'] {
  return OPERATOR_PORT === 0 ? 'everybody' : 'public'
}
