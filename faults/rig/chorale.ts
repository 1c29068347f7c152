import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clockOf } from './clocks.ts'
import { addresses, engineHosts, folder, type Host, outside, type Part, ports } from './layout.ts'
import { start } from './processes.ts'
import { release } from './release.ts'

const run = promisify(execFile)
const program = () => join(release(), 'packages/server/bin/chorale.js')

export function nameOf(part: Part, host: Host): string {
  return `${part}-${host}`
}

export function startPart(part: Part, host: Host): void {
  const port = part === 'gateway' ? ports.gateway : ports.api
  start({
    name: nameOf(part, host),
    host,
    environment: {
      ...environment(),
      HOST: addresses[host],
      PORT: String(port),
      OPERATIONS_HOST: addresses[host],
      OPERATIONS_PORT: String(ports.operations[part]),
      ...clockOf(host),
    },
    command: [process.execPath, program(), 'serve', '--parts', part],
  })
}

/** The JSON that a command of `chorale` prints. */
export async function choraleJson<T>(...args: readonly string[]): Promise<T> {
  const { stdout } = await run(process.execPath, [program(), ...args, '--json'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment() },
  })
  return JSON.parse(stdout)
}

function environment(): Readonly<Record<string, string>> {
  const keyFile = join(folder, 'master.key')
  if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(32).toString('base64'))
  return {
    CHORALE_MASTER_KEY: readFileSync(keyFile, 'utf8'),
    DATABASE_URL: databaseUrl(),
    NATS_URL: engineHosts.map((host) => `nats://${addresses[host]}:${ports.nats}`).join(),
    NATS_STREAM_REPLICAS: '3',
    // Nobody else reaches the bridge of the rig.
    NATS_ANONYMOUS: 'true',
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
    TRUST_PROXY: outside,
    EGRESS_ALLOW: `${outside}/32`,
    EGRESS_HTTP: 'true',
  }
}

/** FAULTS_DATABASE=hosts: the service looks for the primary itself, without a balancer. */
function databaseUrl(): string {
  const servers =
    process.env.FAULTS_DATABASE === 'hosts'
      ? engineHosts.map((host) => `${addresses[host]}:${ports.postgres}`)
      : [`${outside}:${ports.balancedDatabase}`]
  return `postgres://postgres:postgres@${servers.join()}/chorale`
}
