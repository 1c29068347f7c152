import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CometChat } from '@chorale/compat'

const compat = fileURLToPath(new URL('../../../compat', import.meta.url))

/** Imports the package by the name that a project has for it, from a folder with such an npm alias. */
export async function importByAlias(name: string): Promise<typeof CometChat> {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-alias-'))
  try {
    const installed = join(folder, 'node_modules', name)
    mkdirSync(dirname(installed), { recursive: true })
    symlinkSync(compat, installed)
    const program = join(folder, 'program.mjs')
    writeFileSync(program, `export { CometChat } from '${name}'\n`)
    return (await import(pathToFileURL(program).href)).CometChat
  } finally {
    rmSync(folder, { recursive: true })
  }
}
