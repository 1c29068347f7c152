import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = fileURLToPath(new URL('..', import.meta.url))

export class FolderInUse extends Error {
  constructor(folder: string, what: string) {
    super(
      `${folder} ${what}, and nothing in it was changed. Name another folder: npm create chorale other-name`,
    )
  }
}

/** Copies the template into a folder that is empty or not there yet. */
export function createProject(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new FolderInUse(folder, 'is a file')
    if (readdirSync(folder).some((name) => name !== '.git'))
      throw new FolderInUse(folder, 'is not empty')
  }
  cpSync(join(home, 'template'), folder, { recursive: true })
  // npm leaves a file named .gitignore out of packages.
  renameSync(join(folder, '_gitignore'), join(folder, '.gitignore'))
  const manifest = join(folder, 'package.json')
  writeFileSync(manifest, named(readFileSync(manifest, 'utf8'), packageName(folder)))
}

function named(text: string, name: string): string {
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const manifest = JSON.parse(text)
  manifest.name = name
  // The SDK is released together with this package.
  manifest.dependencies['@chorale/sdk'] = `^${version}`
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** A name that npm takes. */
function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  return name === '' ? 'my-chat' : name
}
