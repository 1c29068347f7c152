/**
 * Writes the packages as they are published: `node tools/packages/build.ts [--out build]
 * [--repository git+https://...]` makes `build/packages/{chorale,sdk,compat,react,contract,create-chorale}`.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../tree.ts'
import { compile } from './compile.ts'
import { buildConsole } from './console.ts'
import { declare } from './declarations.ts'
import { buildDemo } from './demo.ts'
import {
  builtPath,
  create,
  manifestOf,
  type Published,
  published,
  server,
  workspaceOf,
} from './published.ts'
import { vendorApiReference } from './vendor.ts'

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'build' }, repository: { type: 'string' } },
})
const out = resolve(root, values.out)
const packages = join(out, 'packages')

rmSync(packages, { recursive: true, force: true })
for (const one of published) {
  const folder = join(packages, one.folder)
  await compile(one, folder)
  declare(one, folder)
  describe(one, folder)
  writePrograms(one, folder)
  if (one === server) await completeServer(folder)
  if (one === create)
    copy(join(root, 'packages', one.workspace, 'template'), join(folder, 'template'))
  console.log(`${one.name}: ${folder}`)
}

function describe(one: Published, folder: string): void {
  copy(join(root, 'packages', one.workspace, 'README.md'), join(folder, 'README.md'))
  for (const name of ['LICENSE', 'NOTICE']) copy(join(root, name), join(folder, name))
  const manifest = manifestOf(one, values.repository)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** They name sources; in the package they name what was compiled from them. */
function writePrograms(one: Published, folder: string): void {
  for (const path of Object.values(workspaceOf(one).bin ?? {})) {
    const text = readFileSync(join(root, 'packages', one.workspace, path), 'utf8')
    const built = text.replaceAll(/'\.(\.\/src\/[^']*)'/g, (_, source: string) => {
      return `'.${builtPath(source, '.js')}'`
    })
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), built, { mode: 0o755 })
  }
}

/** What only the server has: SQL, examples, and the files of its pages. */
async function completeServer(folder: string): Promise<void> {
  const workspace = join(root, 'packages', server.workspace)
  for (const name of ['functions', 'migrations']) copy(join(workspace, name), join(folder, name))
  copy(join(root, 'packages/contract/examples'), join(folder, 'examples'))
  vendorApiReference(join(folder, 'web'))
  await buildDemo(join(folder, 'web/demo'))
  await buildConsole(join(folder, 'web/console'))
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
}
