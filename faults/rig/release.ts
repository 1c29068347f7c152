import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  linkModules,
  writeNextRelease,
} from '../../packages/testing/src/releases/release-folder.ts'
import { folder, root } from './layout.ts'

const file = join(folder, 'release')

/** Where the program lies that processes are started with: in this clone, until there is a next release. */
export function release(): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : root
}

/** Processes that are started from now on are of a next release, whose migrations are made up. */
export async function installNextRelease(): Promise<void> {
  const next = join(folder, 'releases', String(Date.now()))
  mkdirSync(next, { recursive: true })
  await writeNextRelease(release(), next)
  await linkModules(root, next)
  writeFileSync(file, next)
}
