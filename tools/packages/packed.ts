import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../tree.ts'
import { type Published, published } from './published.ts'

/** A package as `npm publish` would send it. */
export interface Packed extends Published {
  readonly tarball: string
  /** The files in it. */
  readonly paths: readonly string[]
}

/** Builds and packs all packages; the tarballs are in the folder. */
export function packAll(folder: string): Packed[] {
  execFileSync(process.execPath, [join(root, 'tools/packages/build.ts'), '--out', folder])
  return published.map((one) => {
    const args = ['pack', '--json', '--pack-destination', folder]
    const cwd = join(folder, 'packages', one.folder)
    const text = execFileSync('npm', args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [{ filename, files }] = JSON.parse(text) as [
      { readonly filename: string; readonly files: readonly { readonly path: string }[] },
    ]
    return { ...one, tarball: join(folder, filename), paths: files.map(({ path }) => path) }
  })
}
