import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './tree.ts'

const plugin = './tools/no-literal-spread.grit'

/** The lines of a text that the rule refuses. */
function refusedLines(text: string): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-lint-'))
  try {
    const rules = { linter: { rules: { preset: 'none' } }, plugins: [join(root, plugin)] }
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(rules))
    writeFileSync(join(folder, 'text.ts'), text)
    const biome = join(root, 'node_modules/.bin/biome')
    const { stdout } = spawnSync(biome, ['lint', '--reporter=json', 'text.ts'], { cwd: folder })
    const { diagnostics } = JSON.parse(String(stdout))
    return diagnostics.map(
      ({ location }: { location: { start: { line: number } } }) => location.start.line,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('the spread of an object literal is refused, any other spread is not', () => {
  const lines = [
    'const a = { b: 1 }',
    'export const one = { ...{ c: 2 }, ...a }',
    'export const two = { ...a, ...(a.b && { d: 3 }), ...(a.b ? { e: 4 } : {}) }',
    'export const three = [...[1, 2]]',
    'export const four = { f: { ...{} } }',
  ]
  expect(refusedLines(lines.join('\n'))).toEqual([2, 5])
})

test('the rule applies to the whole tree', () => {
  expect(JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')).plugins).toContain(plugin)
})
