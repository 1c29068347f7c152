import { createReadStream } from 'node:fs'
import { openapi } from '@chorale/contract/openapi'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from './metrics.ts'

/** What is there for people and machines that look after the service. */
export interface Pages {
  readonly version: string
  readonly metrics: Metrics
  /** A check that throws makes the process not ready. */
  readonly checks: Checks
  /** A check that throws makes it degraded: calls work, and what follows them is late. */
  readonly degrading: Checks
}

type Checks = Readonly<Record<string, () => Promise<void>>>

/** Served from here, so that the page works where there is no internet. */
const referenceScript = new URL(
  'browser/standalone.js',
  // The package exports its style sheet and not this file, which lies beside it.
  import.meta.resolve('@scalar/api-reference/style.css'),
)

export function addPages(
  server: FastifyInstance,
  { version, metrics, checks, degrading }: Pages,
): void {
  const document = JSON.stringify(openapi(version))
  server.get('/openapi.json', (_, reply) => reply.type('application/json').send(document))
  server.get('/docs', (_, reply) => reply.type('text/html').send(docsPage))
  server.get('/docs/reference.js', (_, reply) =>
    reply
      .type('text/javascript')
      .header('cache-control', 'max-age=3600')
      .send(createReadStream(referenceScript)),
  )
  server.get('/metrics', async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
  server.get('/healthz', () => ({ status: 'ok', version }))
  server.get('/readyz', async (_, reply) => {
    const [needed, wanted] = await Promise.all([statesOf(checks), statesOf(degrading)])
    const [ready, whole] = [isOk(needed), isOk(wanted)]
    return reply.code(ready ? 200 : 503).send({ ready, degraded: !whole, ...needed, ...wanted })
  })
}

async function statesOf(checks: Checks): Promise<Record<string, string>> {
  const states = Object.entries(checks).map(
    async ([name, check]) => [name, await stateOf(check)] as const,
  )
  return Object.fromEntries(await Promise.all(states))
}

function isOk(states: Record<string, string>): boolean {
  return Object.values(states).every((state) => state === 'ok')
}

async function stateOf(check: () => Promise<void>): Promise<string> {
  try {
    await check()
    return 'ok'
  } catch (error) {
    return error instanceof Error ? error.message : 'unreachable'
  }
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
    <script>
      Scalar.createApiReference('#app', {
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
    </script>
  </body>
</html>
`
