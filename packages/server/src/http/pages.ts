import type { FastifyInstance } from 'fastify'
import { addConsolePages, consoleLink } from './console-pages.ts'
import { addDocs, docsLink } from './docs-pages.ts'
import { addRootPage, type Pages } from './root-page.ts'

interface PageParts {
  readonly docs: string | undefined
  readonly pages?: Pages | undefined
  readonly filesOrigin?: string | undefined
}

/** Pages beside the API, and one that names them. `folder`: of the console; undefined: it has none. */
export function addPages(
  server: FastifyInstance,
  { docs, pages, filesOrigin }: PageParts,
  folder: string | undefined,
): void {
  if (docs !== undefined) addDocs(server, docs)
  pages?.add(server)
  if (folder !== undefined) addConsolePages(server, folder, filesOrigin)
  const links = [
    ...(docs === undefined ? [] : [docsLink]),
    ...(pages?.links ?? []),
    ...(folder === undefined ? [] : [consoleLink]),
  ]
  if (links.length > 0) addRootPage(server, links)
}
