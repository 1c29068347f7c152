import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { documentRoute } from '../../http/documents.ts'
import type { PageLink, Pages } from '../../http/root-page.ts'
import type { DataFolder, Demo } from './data-folder.ts'
import { people } from './demo/people.ts'

/** It loads its own files and talks to this service. */
const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

/** Only a clone has it, with the packages that it needs. */
const bundler = '../../../../../tools/packages/demo.ts'

const link: PageLink = {
  path: '/demo',
  name: 'Demo chat',
  about: 'A choir a week before its concert: sign in as one of its people',
}

/** The demo chat, for the people of the demo app. Here anybody is whom they say they are. */
export async function openDemoPages(demo: Demo, folder: DataFolder): Promise<Pages> {
  const files = await demoFiles(folder)
  const document = (name: string, type: string) =>
    documentRoute({
      type,
      cacheControl: 'no-cache',
      headers,
      read: () => readFile(join(files, name)),
    })
  return {
    links: [link],
    add(server) {
      server.get('/demo', document('index.html', 'text/html'))
      server.get('/demo/demo.js', document('demo.js', 'text/javascript'))
      server.get('/demo/demo.css', document('demo.css', 'text/css'))
      server.get('/demo/people', () => people)
      addLogin(server, demo)
    },
  }
}

function addLogin(server: FastifyInstance, { appId, apiKey }: Demo): void {
  server.post<{ Querystring: { uid?: string } }>('/demo/login', async (request, reply) => {
    if (!isFromDemoPage(request)) return reply.code(403).send({ error: refusal })
    const { uid = '' } = request.query
    const answer = await server.inject({
      method: 'POST',
      url: `/v3/users/${encodeURIComponent(uid)}/auth_tokens`,
      headers: { appId, apikey: apiKey },
      payload: { lifetimeSeconds: 86_400 },
    })
    const { data, error } = answer.json()
    if (error) return reply.code(answer.statusCode).send({ error })
    return { appId, authToken: data.authToken }
  })
}

const refusal = {
  code: 'ERR_DEMO_LOGIN',
  message: 'Open the demo as http://localhost or by an IP address: other pages cannot log in.',
}

/** Pages of other sites may call the API; they may not log in as people of the demo. */
function isFromDemoPage({ headers: { origin }, host, hostname }: FastifyRequest): boolean {
  // Browsers send it with each POST; programs do not.
  const isSameOrigin = origin === undefined || URL.parse(origin)?.host === host
  // Any other name may be one of a stranger, whose DNS now names this machine.
  const isOwnName = hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
  return isSameOrigin && isOwnName
}

/** In the package they are there; in a clone they are made of its sources. */
async function demoFiles(folder: DataFolder): Promise<string> {
  const packed = fileURLToPath(new URL('../../../web/demo/', import.meta.url))
  if (existsSync(join(packed, 'index.html'))) return packed
  const made = join(folder.path, 'demo')
  const { href } = new URL(bundler, import.meta.url)
  const { buildDemo }: { buildDemo: (folder: string) => Promise<void> } = await import(href)
  await buildDemo(made)
  return made
}
