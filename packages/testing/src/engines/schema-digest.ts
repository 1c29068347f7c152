import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const server = fileURLToPath(new URL('../../../server', import.meta.url))
const patterns = ['migrations/**/*.sql', 'functions/**/*.sql', 'src/database/migrator.ts']

/** Of everything that a migrated, empty database depends on. */
export function schemaDigest(): string {
  const hash = createHash('sha256')
  for (const path of globSync(patterns, { cwd: server }).sort()) {
    hash.update(`${path}\0${readFileSync(join(server, path), 'utf8')}\0`)
  }
  return hash.digest('hex').slice(0, 16)
}
