import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  execute,
  installPackage,
  isRoot,
  lastLines,
  livingPid,
  say,
  waitUntil,
} from './commands.ts'
import { probeDatabase } from './probe.ts'

const port = 55_432
export const defaultDatabaseUrl = `postgres://postgres@127.0.0.1:${port}/chorale`

const programsRoot = '/usr/lib/postgresql'
const account = 'postgres'

/** The newest PostgreSQL that has its server programs; a client alone has no initdb. */
function newestVersion(): number | undefined {
  if (!existsSync(programsRoot)) return undefined
  return readdirSync(programsRoot)
    .map(Number)
    .filter((version) => existsSync(join(programsRoot, String(version), 'bin/initdb')))
    .sort((a, b) => b - a)[0]
}

/** A program of the newest PostgreSQL here; the one on the path where there is only a client. */
export function postgresProgram(name: string): string {
  const version = newestVersion()
  return version === undefined ? name : join(programsRoot, String(version), 'bin', name)
}

interface Cluster {
  readonly bin: string
  readonly data: string
  readonly sockets: string
  readonly log: string
}

// The data carries its version: an upgrade of the programs starts afresh and breaks nothing.
function clusterAt(base: string, version: number): Cluster {
  const home = join(base, `postgres-${version}`)
  return {
    bin: join(programsRoot, String(version), 'bin'),
    data: join(home, 'data'),
    sockets: join(home, 'sockets'),
    log: join(home, 'postgres.log'),
  }
}

/** PostgreSQL refuses to run as root, so root hands over to the account of the Debian package. */
export function asServer(program: string, args: readonly string[]): Promise<string> {
  if (!isRoot) return execute(program, args)
  return execute('runuser', ['-u', account, '--', program, ...args])
}

export async function startPostgres(base: string): Promise<void> {
  if (newestVersion() === undefined) {
    await installPackage('postgresql', ',\nor point DATABASE_URL at a server that already runs')
  }
  const version = newestVersion()
  if (version === undefined) throw new Error(`no PostgreSQL server under ${programsRoot}`)
  const cluster = clusterAt(base, version)
  await createCluster(cluster)
  if (livingPid(join(cluster.data, 'postmaster.pid'), cluster.data)) {
    say('PostgreSQL is starting already')
  } else {
    await startCluster(cluster)
  }
  const up = await waitUntil(async () => {
    const state = await probeDatabase(defaultDatabaseUrl)
    return state === 'ready' || state === 'no-database'
  }, 60_000)
  if (!up) throw new Error(`PostgreSQL does not answer\n${lastLines(cluster.log)}`)
}

async function createCluster({ bin, data, sockets }: Cluster): Promise<void> {
  if (existsSync(join(data, 'PG_VERSION'))) return
  const home = join(data, '..')
  mkdirSync(home, { recursive: true, mode: 0o755 })
  if (isRoot) {
    const uid = Number(await execute('id', ['-u', account]))
    const gid = Number(await execute('id', ['-g', account]))
    chownSync(home, uid, gid)
  }
  say(`creating a database cluster in ${data}`)
  // Made beside its place and then moved, so that an interrupted initdb leaves nothing half done.
  const draft = `${data}.draft`
  rmSync(draft, { recursive: true, force: true })
  rmSync(data, { recursive: true, force: true })
  await asServer(join(bin, 'initdb'), [
    ...['-D', draft, '-U', 'postgres', '--encoding=UTF8', '--locale=C.UTF-8'],
    ...['--auth-local=trust', '--auth-host=trust', '--no-instructions'],
  ])
  await asServer('mkdir', ['-p', sockets])
  renameSync(draft, data)
}

async function startCluster({ bin, data, sockets, log }: Cluster): Promise<void> {
  // Nobody of ours runs, so what these files say is stale; PostgreSQL would believe a reused pid.
  rmSync(join(data, 'postmaster.pid'), { force: true })
  rmSync(join(sockets, `.s.PGSQL.${port}.lock`), { force: true })
  say(`starting PostgreSQL on 127.0.0.1:${port}`)
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: sockets,
    fsync: 'on',
    max_connections: 400,
    shared_buffers: '512MB',
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  try {
    const start = ['start', '-w', '-t', '60', '-D', data, '-l', log, '-o', options.join(' ')]
    await asServer(join(bin, 'pg_ctl'), start)
  } catch {
    throw new Error(`PostgreSQL did not start; the end of ${log}:\n${lastLines(log)}`)
  }
}

/** The server at the default address answers, but has no database `chorale` yet. */
export async function createDatabase(): Promise<void> {
  say('creating the database chorale')
  const server = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-w']
  await execute(postgresProgram('createdb'), [...server, 'chorale'])
}

/** Stops every cluster found under the base folder; returns whether one was running. */
export async function stopPostgres(base: string): Promise<boolean> {
  const versions = readdirSync(base).flatMap((name) => /^postgres-(\d+)$/.exec(name)?.[1] ?? [])
  let stopped = false
  for (const version of versions.map(Number)) {
    const { bin, data } = clusterAt(base, version)
    if (!livingPid(join(data, 'postmaster.pid'), data)) continue
    await asServer(join(bin, 'pg_ctl'), ['stop', '-w', '-m', 'fast', '-D', data])
    stopped = true
  }
  return stopped
}

/** The folder lies where everybody may write, so it must be ours and no link before we use it. */
export function claimFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || statSync(folder).uid !== process.getuid?.()) {
    throw new Error(`${folder} belongs to somebody else; remove it or ask its owner`)
  }
}
