import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Only a clone has it, with the packages that it needs. */
const bundler = '../../../../tools/packages/console.ts'

/** In the package; in a clone where `npm run console` puts them. */
const folders = ['../../web/console/', '../../../../build/console/']

/** The files of the console, if they are there. */
export function consoleFiles(): string | undefined {
  return folders
    .map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'index.html')))
}

/** In a clone they are made of its sources. */
export async function makeConsoleFiles(into: string): Promise<string> {
  const packed = fileURLToPath(new URL('../../web/console/', import.meta.url))
  if (existsSync(join(packed, 'index.html'))) return packed
  const { href } = new URL(bundler, import.meta.url)
  const { buildConsole }: { buildConsole: (folder: string) => Promise<unknown> } = await import(
    href
  )
  await buildConsole(into)
  return into
}
