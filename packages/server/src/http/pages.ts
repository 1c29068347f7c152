import { readFile } from 'node:fs/promises'
import { openapi } from '@chorale/contract/openapi'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Metrics } from '../metrics/metrics.ts'
import { documentRoute } from './documents.ts'

/** What is there for people and machines that look after the service. */
export interface Pages {
  readonly version: string
  readonly metrics: Metrics
  /** Whether the API is described. */
  readonly docs: boolean
  /** A check that throws makes the process not ready. */
  readonly checks: Checks
  /** A check that throws makes it degraded: calls work, and what follows them is late. */
  readonly degrading: Checks
}

/** Who reaches a listener. `everybody`: the operator has none of their own. */
export type Audience = 'everybody' | 'public' | 'operator'

type Checks = Readonly<Record<string, () => Promise<void>>>

/** Served from here, so that the page works where there is no internet. */
const referenceScript = new URL(
  'browser/standalone.js',
  // The package exports its style sheet and not this file, which lies beside it.
  import.meta.resolve('@scalar/api-reference/style.css'),
)
/** It is large, and the same for every listener of the process. */
const reference = documentRoute({
  type: 'text/javascript',
  cacheControl: 'public, max-age=86400',
  read: () => readFile(referenceScript),
})

/** May be kept, and is asked for again each time. */
const cacheControl = 'no-cache'

export function addPages(
  server: FastifyInstance,
  pages: Pages,
  audience: Audience,
  log: Logger,
): void {
  const { version, metrics, docs } = pages
  if (docs) addDocs(server, version)
  server.get('/healthz', () => ({ status: 'ok', version }))
  server.get('/readyz', async (_, reply) => {
    const [needed, wanted] = await Promise.all([
      statesOf(pages.checks, audience, log),
      statesOf(pages.degrading, audience, log),
    ])
    const [ready, whole] = [isOk(needed), isOk(wanted)]
    return reply.code(ready ? 200 : 503).send({ ready, degraded: !whole, ...needed, ...wanted })
  })
  if (audience === 'public') return
  server.get('/metrics', async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
}

function addDocs(server: FastifyInstance, version: string): void {
  const document = async () => JSON.stringify(openapi(version))
  const json = { type: 'application/json', cacheControl, read: document }
  const page = { type: 'text/html', cacheControl, headers: docsHeaders, read: async () => docsPage }
  const script = { type: 'text/javascript', cacheControl, read: async () => docsScript }
  server.get('/openapi.json', documentRoute(json))
  server.get('/docs', documentRoute(page))
  server.get('/docs/start.js', documentRoute(script))
  server.get('/docs/reference.js', reference)
}

async function statesOf(
  checks: Checks,
  audience: Audience,
  log: Logger,
): Promise<Record<string, string>> {
  const states = Object.entries(checks).map(async ([name, check]) => {
    const error = await errorOf(check)
    if (error === undefined) return [name, 'ok'] as const
    log.warn({ check: name, error }, 'a check of readiness failed')
    // Errors name hosts, users and databases.
    return [name, audience === 'operator' ? error : 'failing'] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

function isOk(states: Record<string, string>): boolean {
  return Object.values(states).every((state) => state === 'ok')
}

async function errorOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'unreachable'
  }
}

/** The page makes its styles as it runs. It calls this service, and sends keys nowhere else. */
const docsHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Chorale API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/reference.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const docsScript = `Scalar.createApiReference('#app', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenFirstTag: false,
})
`
