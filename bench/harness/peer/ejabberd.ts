import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort, isAnswered } from '../../../packages/server/src/main/start/free-port.ts'
import type { ScratchDatabase } from '../../../packages/testing/src/engines/scratch-database.ts'
import {
  execute,
  installPackage,
  isRoot,
  lastLines,
  waitUntil,
} from '../../../tools/services/commands.ts'
import type { Login } from './pairs.ts'

const account = 'ejabberd'
const packages = ['ejabberd', 'erlang-p1-pgsql']
const host = '127.0.0.1'
const domain = 'localhost'
const endMs = 20_000

export interface Ejabberd extends AsyncDisposable {
  readonly version: string
  readonly pid: number
  readonly host: string
  readonly port: number
  readonly domain: string
}

/** ejabberd of Debian with users and archive in this database; installs it if it is missing. */
export async function startEjabberd(
  database: ScratchDatabase,
  users: readonly Login[],
): Promise<Ejabberd> {
  for (const name of packages) if (!(await versionOf(name))) await installPackage(name)
  const files = (await execute('dpkg', ['--listfiles', 'ejabberd'])).split('\n')
  await loadSchema(database, fileOf(files, '/sql/pg.sql'), users)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'chorale-ejabberd-'))
  writeFileSync(join(folder, 'ejabberd.yml'), configuration(new URL(database.url), port))
  const child = await startNode(folder, dirname(fileOf(files, '/ejabberd.beam')))
  const node = {
    version: (await versionOf('ejabberd')) ?? '',
    pid: child.pid ?? 0,
    host,
    port,
    domain,
    async [Symbol.asyncDispose]() {
      await end(child)
      rmSync(folder, { recursive: true })
    },
  }
  await waitUntil(async () => hasEnded(child) || (await isAnswered(port, host)), 120_000)
  if (!(await isAnswered(port, host))) {
    await end(child)
    throw new Error(`ejabberd is not ready; see ${folder}:\n${lastLines(logOf(folder))}`)
  }
  return node
}

/** Undefined unless it is installed. */
async function versionOf(name: string): Promise<string | undefined> {
  const status = await execute('dpkg', ['--status', name]).catch(() => '')
  if (!status.includes('Status: install ok installed')) return undefined
  return /^Version: (.*)$/m.exec(status)?.[1]
}

function fileOf(files: readonly string[], ending: string): string {
  const file = files.find((name) => name.endsWith(ending))
  if (file === undefined) throw new Error(`The package ejabberd has no file ${ending}.`)
  return file
}

/** In a schema of its own, the only one that its connections see: `users` is a table of ours, too. */
async function loadSchema(
  { url, query }: ScratchDatabase,
  file: string,
  users: readonly Login[],
): Promise<void> {
  await query('create schema ejabberd')
  await query(`alter database ${new URL(url).pathname.slice(1)} set search_path = ejabberd`)
  await query('set search_path = ejabberd')
  await query(readFileSync(file, 'utf8'))
  await query(
    'insert into users (username, password) select * from unnest($1::text[], $2::text[])',
    [users.map(({ name }) => name), users.map(({ secret }) => secret)],
  )
}

/** As it comes, without the modules that this load does not need; no TLS, as on the other side. */
function configuration({ hostname, port, username, password, pathname }: URL, listen: number) {
  return `
hosts: [${domain}]
loglevel: warning
listen:
  - port: ${listen}
    ip: "${host}"
    module: ejabberd_c2s
    access: c2s
    starttls: false
access_rules:
  c2s:
    allow: all
  local:
    allow: all
auth_method: [sql]
sql_type: pgsql
sql_server: "${hostname}"
sql_port: ${port || 5432}
sql_username: "${decodeURIComponent(username)}"
sql_password: "${decodeURIComponent(password)}"
sql_database: "${pathname.slice(1)}"
modules:
  mod_disco: {}
  mod_stream_mgmt: {}
  mod_mam:
    db_type: sql
    default: always
    assume_mam_usage: true
    request_activates_archiving: false
`
}

/**
 * The Erlang node itself, with what `ejabberdctl` gives it; without a name, because nobody else talks
 * to it, so that it needs no daemon. It runs under the account of the package, and ends with this process.
 */
async function startNode(folder: string, ebin: string): Promise<ChildProcess> {
  const output = openSync(logOf(folder), 'w')
  if (isRoot) await execute('chown', [account, folder])
  const args = [
    ...['--pdeathsig', 'KILL'],
    ...(isRoot ? ['--reuid', account, '--regid', account, '--clear-groups'] : []),
    ...['erl', '-noinput', '-pa', ebin, '-mnesia', 'dir', `"${folder}"`],
    ...['-s', 'ejabberd', '+K', 'true', '+P', '250000'],
  ]
  const child = spawn('setpriv', args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      EJABBERD_CONFIG_PATH: join(folder, 'ejabberd.yml'),
      EJABBERD_LOG_PATH: join(folder, 'ejabberd.log'),
      ERL_CRASH_DUMP: join(folder, 'crash'),
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  await once(child, 'spawn')
  return child
}

function logOf(folder: string): string {
  return join(folder, 'output')
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), endMs)
  await ended
  clearTimeout(impatient)
}
