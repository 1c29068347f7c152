import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The file is the old one or the new one, whenever the process ends. */
export function saveJson(path: string, value: unknown): void {
  const fresh = `${path}.new`
  const file = openSync(fresh, 'w')
  try {
    writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(fresh, path)
  syncFolder(dirname(path))
}

/** The name of a file is safe when its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Undefined where there is none. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
