import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documentRoute } from '../../http/documents.ts'
import type { Pages } from '../../http/root-page.ts'

/** Where `npm run docs` puts the site. Only a clone has it. */
const built = fileURLToPath(new URL('../../../../../build/docs', import.meta.url))

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The pages have short scripts and styles in them, which their generator writes. */
const headers = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

/** The documentation site at `/guide/`, if it was built. */
export function openGuidePages(folder: string = built): Pages {
  if (!existsSync(join(folder, 'index.html'))) return { links: [], add: () => undefined }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  return {
    links: [{ path: '/guide/', name: 'Guide', about: 'How to build on Chorale and how to run it' }],
    add(server) {
      for (const file of files) {
        const type = types[extname(file)]
        if (!type) continue
        const route = documentRoute({
          type,
          cacheControl: 'no-cache',
          headers,
          read: () => readFile(join(folder, file)),
        })
        server.get(`/guide/${file}`, route)
        if (/(?:^|\/)index\.html$/.test(file)) {
          server.get(`/guide/${file.replace('index.html', '')}`, route)
        }
      }
    },
  }
}

export function together(all: readonly Pages[]): Pages {
  return {
    links: all.flatMap(({ links }) => links),
    add(server) {
      for (const pages of all) pages.add(server)
    },
  }
}
