import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { manifestOf, server } from './packages/published.ts'
import { root } from './tree.ts'

// npm run sbom [-- --output-file build/sbom.json]
//
// What `npm install chorale` brings, as CycloneDX: the published manifest is installed into an empty folder.
// The lockfile of the workspace would also list what only tools and other workspaces need.

interface Component {
  readonly components?: readonly Component[]
}

const { values } = parseArgs({
  options: { 'output-file': { type: 'string', default: 'build/sbom.json' } },
})
const file = resolve(root, values['output-file'])
const folder = mkdtempSync(join(tmpdir(), 'chorale-sbom-'))

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 << 20 })
}

const count = ({ components = [] }: Component): number =>
  components.reduce((sum, one) => sum + 1 + count(one), 0)

try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifestOf(server, undefined)))
  run('npm', 'install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund')
  mkdirSync(dirname(file), { recursive: true })
  const cyclonedx = new URL(
    'bin/cyclonedx-npm-cli.js',
    import.meta.resolve('@cyclonedx/cyclonedx-npm'),
  )
  run(
    process.execPath,
    fileURLToPath(cyclonedx),
    '--omit',
    'dev',
    '--output-reproducible',
    '--output-file',
    file,
  )
  const listed = count(JSON.parse(readFileSync(file, 'utf8')))
  // The first line is the package itself.
  const installed =
    run('npm', 'ls', '--all', '--omit=dev', '--parseable').trim().split('\n').length - 1
  if (listed !== installed) {
    throw new Error(`The list has ${listed} packages, npm has installed ${installed}.`)
  }
  console.log(`sbom: ${listed} packages in ${file}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
