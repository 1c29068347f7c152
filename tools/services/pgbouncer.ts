import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../packages/server/src/main/start/free-port.ts'
import { has, installPackage, isRoot, waitUntil } from './commands.ts'
import { probeDatabase } from './probe.ts'

/** PgBouncer in transaction mode, in front of every database of a server. */
export interface PgBouncer extends AsyncDisposable {
  /** The address of the same database through PgBouncer. */
  through(databaseUrl: string): string
}

export interface PgBouncerOptions {
  /** Statements that each of its connections to PostgreSQL begins with. */
  readonly connectQuery?: string
  /** Connections to PostgreSQL, for each database. */
  readonly poolSize?: number
}

/** What `chorale serve` asks of connections that a pooler shares. */
const choraleSettings =
  'set statement_timeout = 10000; set idle_in_transaction_session_timeout = 10000; set jit = off'

export async function startPgBouncer(
  serverUrl: string,
  { connectQuery = choraleSettings, poolSize = 20 }: PgBouncerOptions = {},
): Promise<PgBouncer> {
  if (!(await has('pgbouncer'))) await installPackage('pgbouncer')
  const server = new URL(serverUrl)
  const folder = mkdtempSync(join(tmpdir(), 'chorale-pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  const port = await freePort()
  const user = decodeURIComponent(server.username)
  const password = server.password && ` password=${decodeURIComponent(server.password)}`
  const target = `host=${server.hostname} port=${server.port || 5432} user=${user}${password}`
  writeFileSync(
    file,
    `[databases]
* = ${target} connect_query='${connectQuery}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 5000
`,
  )
  // It refuses to run as root; what it writes comes to us.
  const args = [...(isRoot ? ['-u', 'postgres'] : []), file]
  const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin` }
  const child = spawn('pgbouncer', args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const written: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => written.push(text))
  const through = (url: string) => {
    const result = new URL(url)
    result.host = `127.0.0.1:${port}`
    return result.href
  }
  const answers = async () => (await probeDatabase(through(serverUrl))) === 'ready'
  const isUp = await waitUntil(async () => child.exitCode !== null || (await answers()), 30_000)
  if (!isUp || child.exitCode !== null) {
    throw new Error(`PgBouncer did not start:\n${written.join('')}`)
  }
  return {
    through,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
