/** Writes every generated file; `--check` only compares, and names all that are stale. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const generators = [
  'sdk-routes.ts',
  'sdk-types.ts',
  'sdk-reference.ts',
  'compatibility.ts',
  'errors.ts',
  'event-types.ts',
  'where-is.ts',
  'schema-dump.ts',
  'table-owners.ts',
  'settings.ts',
  'rules.ts',
  'permissions.ts',
  'fault-runs.ts',
  'docs/snippets.ts',
]

for (const name of generators) {
  const command = [join(import.meta.dirname, name), ...process.argv.slice(2)]
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
