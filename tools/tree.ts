import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

const notOurs = new Set(['node_modules', 'dist', 'build', 'coverage', '.git', 'chorale-data'])

/** Every file of the project, as a path from its root; what was installed or built is left out. */
export function projectFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : projectFiles(path)
    return entry.isFile() ? [path] : []
  })
}
