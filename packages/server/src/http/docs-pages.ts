import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { openapi } from '@chorale/contract/openapi'
import type { FastifyInstance } from 'fastify'
import { documentRoute } from './documents.ts'
import { readExamples } from './examples.ts'
import type { PageLink } from './root-page.ts'

/** The published package has a copy, which spares it hundreds of others. */
const copy = new URL('../../web/api-reference.js', import.meta.url)
/** Served from here, so that the page works where there is no internet. */
const referenceScript = existsSync(copy)
  ? copy
  : // The package exports its style sheet and not this file, which lies beside it.
    new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference/style.css'))
/** It is large, and the same for every listener of the process. */
const reference = documentRoute({
  type: 'text/javascript',
  cacheControl: 'public, max-age=86400',
  read: () => readFile(referenceScript),
})

export const docsLink: PageLink = {
  path: '/docs',
  name: 'API reference',
  about: 'Every call, with what it takes and answers',
}

/** May be kept, and is asked for again each time. */
const cacheControl = 'no-cache'

/** The description of the API, for programs and people. */
export function addDocs(server: FastifyInstance, version: string): void {
  const document = async () => JSON.stringify(openapi(version, readExamples()))
  const json = { type: 'application/json', cacheControl, read: document }
  const page = { type: 'text/html', cacheControl, headers: docsHeaders, read: async () => docsPage }
  const script = { type: 'text/javascript', cacheControl, read: async () => docsScript }
  server.get('/openapi.json', documentRoute(json))
  server.get('/docs', documentRoute(page))
  server.get('/docs/start.js', documentRoute(script))
  server.get('/docs/reference.js', reference)
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
  showOperationId: true,
  hideClientButton: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenFirstTag: false,
})
`
