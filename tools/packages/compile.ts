import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { transformWithOxc } from 'vite'
import { root } from '../tree.ts'
import { builtPath, contract, type Published, workspaceOf } from './published.ts'

const packages = join(root, 'packages')

/** Writes what the entries of a package import, as JavaScript; nobody imports a test. */
export async function compile(one: Published, folder: string): Promise<void> {
  const entries = [...Object.values(one.exports), ...one.programs]
  const sources = new Set(entries.map((path) => join(packages, one.workspace, path)))
  // A set goes on to what is added while it is read.
  for (const source of sources) {
    const target = join(folder, targetOf(source))
    const { code, map } = await javascriptOf(source)
    const linked = code.replaceAll(references, (path) => {
      if (isDependency(path)) return path
      const imported = sourceOf(path, source)
      sources.add(imported)
      const link = relative(dirname(target), join(folder, targetOf(imported)))
      return link.startsWith('.') ? link : `./${link}`
    })
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, `${linked}\n//# sourceMappingURL=${basename(target)}.map\n`)
    writeFileSync(`${target}.map`, JSON.stringify({ ...map, sources: [basename(source)] }))
  }

  for (const path of Object.values(one.stylesheets ?? {})) {
    cpSync(join(packages, one.workspace, path), join(folder, builtPath(path, '.css')))
  }

  /** The contract is no package that another needs: it is copied in. */
  function isDependency(path: string): boolean {
    return path !== contract.name && path in (workspaceOf(one).dependencies ?? {})
  }

  /** The contract is beside the code that has it in it. */
  function targetOf(source: string): string {
    const [workspace = '', , ...path] = relative(packages, source).split('/')
    const place = workspace === one.workspace ? 'dist' : workspace
    return join(place, ...path).replace(/\.tsx?$/, '.js')
  }
}

/** Imports, and the files that a program names: `new URL('./name.ts', import.meta.url)`. */
const references =
  /(?<=(?:\bfrom |\bimport |\bimport\(|\bnew URL\()")(?:\.[^"]*\.tsx?|@chorale\/[^"]*)(?=")/g

async function javascriptOf(source: string) {
  return transformWithOxc(readFileSync(source, 'utf8'), source, {
    target: 'esnext',
    jsx: { runtime: 'automatic' },
    typescript: { onlyRemoveTypeImports: true },
    sourcemap: true,
  })
}

function sourceOf(path: string, from: string): string {
  if (path.startsWith('.')) return resolve(dirname(from), path)
  const source = workspaceOf(contract).exports?.[path.replace(contract.name, '.')]
  if (!source) throw new Error(`${from} imports ${path}, which cannot be published with it.`)
  return join(packages, contract.workspace, source)
}
