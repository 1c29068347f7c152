import type { FastifyInstance } from 'fastify'
import { documentRoute } from './documents.ts'

/** A page of this listener that people may want to open. */
export interface PageLink {
  readonly path: string
  readonly name: string
  readonly about: string
}

/** Pages beside the API, and where they are. */
export interface Pages {
  readonly links: readonly PageLink[]
  add(server: FastifyInstance): void
}

/** `/` for browsers: where to go. Programs get the error that any other unknown path gets. */
export function addRootPage(server: FastifyInstance, links: readonly PageLink[]): void {
  const page = documentRoute({
    type: 'text/html',
    cacheControl: 'no-cache',
    headers: pageHeaders,
    read: async () => rootPage(links),
  })
  const style = documentRoute({
    type: 'text/css',
    cacheControl: 'no-cache',
    read: async () => rootStyle,
  })
  server.get('/', (request, reply) => {
    // Otherwise a cache would answer a program with the page.
    reply.header('Vary', [reply.getHeader('vary') ?? [], 'Accept'].flat().join(', '))
    const isBrowser = String(request.headers.accept).includes('text/html')
    return isBrowser ? page(request, reply) : reply.callNotFound()
  })
  server.get('/root.css', style)
}

const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

/** Links are names and paths of our own: nothing in them needs escaping. */
const rootPage = (links: readonly PageLink[]) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Chorale</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/root.css" />
  </head>
  <body>
    <main>
      <h1>Chorale</h1>
      <p>This is the API of a chat service. It answers under <code>/v3</code>.</p>
      <ul>
${links.map(linkItem).join('\n')}
      </ul>
    </main>
  </body>
</html>
`

const linkItem = ({ path, name, about }: PageLink) =>
  `        <li><a href="${path}"><strong>${name}</strong><span>${about}</span></a></li>`

const rootStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; min-height: 100vh; margin: 0; place-items: center; }
main { box-sizing: border-box; width: min(100%, 30rem); padding: 1.5rem; }
h1 { margin: 0; font-size: 1.6rem; }
p { margin: 0.25rem 0 1.25rem; opacity: 0.75; }
ul { display: grid; gap: 0.75rem; padding: 0; margin: 0; list-style: none; }
a { display: block; padding: 0.9rem 1.1rem; color: inherit; text-decoration: none;
  border: 1px solid color-mix(in srgb, currentcolor 20%, transparent); border-radius: 0.75rem; }
a:hover, a:focus-visible { border-color: #5b5bd6; outline: none; }
strong { display: block; }
span { font-size: 0.9rem; opacity: 0.75; }
`
