import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './tree.ts'

/** Writes a generated file; with `--check` on the command line only compares it. */
export function writeOrCheck(path: string, text: string): void {
  const target = join(root, path)
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text)
  } else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${path} is stale: run npm run generated`)
    process.exitCode = 1
  }
}
