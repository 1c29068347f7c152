import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFiles, root } from './tree.ts'

// The same install everywhere: exact versions, checksums, and no address of anybody's registry.
// `--complete` adds what npm left out for other platforms; see `missingOptions`.

interface Manifest {
  readonly [group: string]: Record<string, string> | undefined
}
interface Locked {
  readonly version?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly inBundle?: boolean
  readonly optional?: boolean
  readonly os?: string[]
  readonly cpu?: string[]
  readonly libc?: string[]
  readonly resolved?: string
  readonly integrity?: string
  readonly optionalDependencies?: Record<string, string>
}

const lockPath = join(root, 'package-lock.json')
const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(lockPath, 'utf8'))

const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.-]+)?$/
// Peer dependencies are promises about others and may be ranges.
const pinned = ['dependencies', 'devDependencies', 'optionalDependencies']

function looseVersions(path: string): string[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, path), 'utf8'))
  return pinned.flatMap((group) =>
    Object.entries(manifest[group] ?? {})
      .filter(([, version]) => !exact.test(version))
      .map(([name, version]) => `${path}: ${name} "${version}" is not an exact version`),
  )
}

function lockComplaints([path, entry]: [string, Locked]): string[] {
  const found = missingOptions(path, entry).map(([name]) => `lacks ${name}: npm run lockfile:fix`)
  // A package that came inside another's archive is covered by that archive's checksum.
  if (path.includes('node_modules/') && !entry.link && !entry.inBundle) {
    if (entry.resolved) found.push(`names an address, ${entry.resolved}`)
    if (!entry.integrity && !isForeign(entry)) found.push('has no checksum')
  }
  return found.map((complaint) => `package-lock.json: ${path} ${complaint}`)
}

/** Made for another machine than the one CI runs on, so never installed there. */
function isForeign({ optional, os, cpu, libc }: Locked): boolean {
  const fits = (list: string[] | undefined, own: string) => !list || list.includes(own)
  return optional === true && !(fits(os, 'linux') && fits(cpu, 'x64') && fits(libc, 'glibc'))
}

/**
 * Where the registry in use does not carry other platforms' packages, npm leaves them out of the
 * lockfile without a word, and then `npm ci` refuses the lockfile everywhere.
 */
function missingOptions(path: string, { optionalDependencies = {} }: Locked): [string, string][] {
  const parts = path.split('/node_modules/')
  const homes = parts.map((_, depth) => `${parts.slice(0, depth + 1).join('/node_modules/')}/`)
  const places = ['', ...homes].map((home) => `${home}node_modules/`)
  return Object.entries(optionalDependencies).filter(
    ([name]) => !places.some((place) => lock.packages[place + name]),
  )
}

/** Reads the platform from the package's name, as `@biomejs/cli-linux-arm64-musl` gives it. */
function platformEntry(name: string, version: string, dev: boolean): Locked {
  const words = name.replace(/^.*\//, '').split('-')
  const first = (known: RegExp) => words.filter((word) => known.test(word)).slice(0, 1)
  const os = first(/^(?:android|darwin|freebsd|linux|openbsd|openharmony|win32)$/)
  const cpu = first(/^(?:arm|arm64|ia32|loong64|ppc64|riscv64|s390x|wasm32|x64)$/)
  const libc = first(/^(?:musl|gnu)/).map((word) => (word.startsWith('musl') ? 'musl' : 'glibc'))
  if (cpu.length === 0 || !exact.test(version)) throw new Error(`cannot place ${name} ${version}`)
  return {
    version,
    cpu,
    ...(dev ? { dev } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  }
}

function complete(): void {
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of missingOptions(path, entry)) {
      lock.packages[`node_modules/${name}`] = platformEntry(name, version, entry.dev === true)
    }
  }
  // npm's own order: by code points would tear `a/b` and `a-b` apart differently.
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
  lock.packages = Object.fromEntries(sorted)
  writeFileSync(lockPath, `${JSON.stringify(lock, null, 2)}\n`)
}

if (process.argv.includes('--complete')) complete()
const manifests = projectFiles().filter((path) => /(?:^|\/)package\.json$/.test(path))
const complaints = [
  ...manifests.flatMap(looseVersions),
  ...Object.entries(lock.packages).flatMap(lockComplaints),
]

for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length > 0 ? 1 : 0
