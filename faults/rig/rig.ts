import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { has, installPackage } from '../../tools/services/commands.ts'
import { choraleJson, startPart } from './chorale.ts'
import { execute, succeeds, waitFor } from './commands.ts'
import { closeDisks, openDisks } from './disks.ts'
import {
  leader,
  startBalancer,
  startEtcd,
  startNats,
  startPatroni,
  synchronousStandby,
} from './engines.ts'
import { addresses, engineHosts, folder, outside, parts, ports, serviceHosts } from './layout.ts'
import { closeNetwork, openNetwork } from './network.ts'
import { pidOf, stop } from './processes.ts'

type Say = (line: string) => void

export async function up(say: Say): Promise<void> {
  await requirePrograms()
  say('network: five hosts on a bridge')
  await openNetwork()
  say('disks: one for each PostgreSQL and each NATS')
  await openDisks()
  say('etcd on three hosts')
  for (const host of engineHosts) startEtcd(host)
  say('PostgreSQL under Patroni on three hosts')
  await startPatroni('e1')
  await waitFor('primary', 90, leader)
  await startPatroni('e2')
  await startPatroni('e3')
  say('NATS on three hosts, HAProxy')
  for (const host of engineHosts) startNats(host)
  startBalancer()
  await waitFor('synchronous standby', 90, synchronousStandby)
  await createDatabase()
  say('chorale migrate')
  await choraleJson('migrate')
  await startService()
  say('api, gateway and worker on two hosts')
  await untilReady(120)
}

/** Whatever of the rig does not run is started; what runs is left alone. */
export async function startAll(): Promise<void> {
  for (const host of engineHosts) {
    startEtcd(host)
    startNats(host)
    await startPatroni(host)
  }
  startBalancer()
  await startService()
}

async function startService(): Promise<void> {
  for (const host of serviceHosts) for (const part of parts) startPart(part, host)
}

/** Every part says that it can work, and there are a primary and a synchronous standby. */
export async function untilReady(seconds: number): Promise<void> {
  await waitFor('primary', seconds, leader)
  await waitFor('synchronous standby', seconds, synchronousStandby)
  for (const host of serviceHosts) {
    for (const part of parts) {
      const url = `http://${addresses[host]}:${ports.operations[part]}/readyz`
      await waitFor(`ready ${part} on ${host}`, seconds, async () => {
        const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(
          () => undefined,
        )
        await answer?.body?.cancel()
        return answer?.ok
      })
    }
  }
}

export async function down(say: Say): Promise<void> {
  const names = startedNames()
  const of = (...kinds: string[]) =>
    names.filter((name) => kinds.includes(name.split('-')[0] ?? ''))
  await Promise.all(of(...parts).map((name) => stop(name)))
  await Promise.all(of('haproxy').map((name) => stop(name)))
  // Patroni ends its PostgreSQL.
  await Promise.all(of('patroni').map((name) => stop(name, 40)))
  await Promise.all(of('nats', 'etcd').map((name) => stop(name)))
  await closeNetwork()
  await closeDisks()
  rmSync(folder, { recursive: true, force: true })
  say('all of it has ended, and its data is gone')
}

export function state(): string {
  return startedNames()
    .map((name) => `${name}: ${pidOf(name) ?? 'ended'}`)
    .join('\n')
}

function startedNames(): string[] {
  try {
    return readdirSync(join(folder, 'processes')).map((file) => file.replace(/\.json$/, ''))
  } catch {
    return []
  }
}

async function createDatabase(): Promise<void> {
  const at = ['-h', outside, '-p', String(ports.balancedDatabase), '-U', 'postgres']
  await waitFor('database chorale', 30, async () => {
    const listed = await execute('psql', [...at, '-Atc', 'select datname from pg_database']).catch(
      () => '',
    )
    if (listed.split('\n').includes('chorale')) return true
    return listed !== '' && (await succeeds('createdb', [...at, 'chorale']))
  })
}

/** By the program that it is needed for: what Debian calls the package. */
const packages: Readonly<Record<string, string>> = {
  etcd: 'etcd-server',
  patroni: 'patroni',
  haproxy: 'haproxy',
  'nats-server': 'nats-server',
  ip: 'iproute2',
  iptables: 'iptables',
  faketime: 'faketime',
}

async function requirePrograms(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('The rig makes networks: run it as root.')
  for (const [program, name] of Object.entries(packages)) {
    if (!(await has(program))) await installPackage(name)
  }
}
