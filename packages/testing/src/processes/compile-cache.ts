import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** For the environment of a process: every start after the first takes half of the processor's time. */
export function compileCacheIn(folder: string) {
  return { NODE_COMPILE_CACHE: join(folder, 'node_modules/.cache/chorale/compile') }
}

export const compileCache = compileCacheIn(root)
