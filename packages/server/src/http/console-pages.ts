import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { documentRoute } from './documents.ts'
import type { PageLink } from './root-page.ts'

export const consoleLink: PageLink = {
  path: '/console',
  name: 'Console',
  about: 'For those who moderate, build, help and operate',
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/**
 * It loads its own files, and pictures of the operator's store; it talks to this service, and nobody may
 * put it into a frame.
 */
const headersWith = (filesOrigin = '') => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: ${filesOrigin}`.trim(),
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
})

/** Their names change with what is in them. */
const assetCache = 'public, max-age=31536000, immutable'

/** The files of the console. Every other path is a place in it, which its script knows. */
export function addConsolePages(
  server: FastifyInstance,
  folder: string,
  filesOrigin: string | undefined,
): void {
  const headers = headersWith(filesOrigin)
  const index = documentRoute({
    type: 'text/html',
    cacheControl: 'no-cache',
    headers,
    read: () => readFile(join(folder, 'index.html')),
  })
  server.get('/console', index)
  server.get<{ Params: { '*': string } }>('/console/*', (request, reply) =>
    isOther.test(request.params['*']) ? reply.callNotFound() : index(request, reply),
  )
  // Only what is there now has a route: no path of a request is ever looked for in the folder.
  for (const name of readdirSync(join(folder, 'assets'))) {
    const type = types[extname(name)]
    if (!type) continue
    const read = () => readFile(join(folder, 'assets', name))
    const route = documentRoute({ type, cacheControl: assetCache, headers, read })
    server.get(`/console/assets/${name}`, route)
  }
}

const isOther = /^\/*(?:(?:api|assets)(?:\/|$)|sign-in\/.)/i
