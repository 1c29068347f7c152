import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../../functions')
const files = globSync('*/*.sql', { cwd: folder })

/** Without comments and the bodies of functions. */
function statementsIn(text: string): string[] {
  return text
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

// The previous release still calls it: other parameters or another result are refused, which to drop it first would evade.
test.each(files)('%s replaces functions and triggers, and drops none', (file) => {
  const statements = statementsIn(readFileSync(join(folder, file), 'utf8'))
  expect(statements).not.toEqual([])
  for (const statement of statements) {
    expect(statement).toMatch(/^create or replace (function|trigger) /)
  }
})
