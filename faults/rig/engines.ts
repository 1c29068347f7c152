import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execute, waitFor } from './commands.ts'
import { diskOf } from './disks.ts'
import { addresses, type EngineHost, engineHosts, folder, outside, ports, root } from './layout.ts'
import { patroniEnvironment } from './patroni-package.ts'
import { start } from './processes.ts'

const http = (host: EngineHost, port: number) => `http://${addresses[host]}:${port}`

export function startEtcd(host: EngineHost): void {
  const data = join(folder, 'etcd', host)
  mkdirSync(data, { recursive: true })
  const peers = engineHosts.map((peer) => `${peer}=${http(peer, ports.etcdPeers)}`)
  start({
    name: `etcd-${host}`,
    host,
    command: [
      'etcd',
      ...['--name', host, '--data-dir', data, '--initial-cluster', peers.join()],
      ...['--listen-peer-urls', http(host, ports.etcdPeers)],
      ...['--initial-advertise-peer-urls', http(host, ports.etcdPeers)],
      ...['--listen-client-urls', http(host, ports.etcd)],
      ...['--advertise-client-urls', http(host, ports.etcd)],
    ],
  })
}

/** Of the newest PostgreSQL that is installed. */
function programs(): string {
  const base = '/usr/lib/postgresql'
  const versions = existsSync(base) ? readdirSync(base).map(Number) : []
  if (versions.length === 0) throw new Error('Install PostgreSQL first: apt-get install postgresql')
  return join(base, String(Math.max(...versions)), 'bin')
}

export async function startPatroni(host: EngineHost): Promise<void> {
  const data = join(diskOf('postgres', host), 'data')
  const sockets = join(folder, 'sockets', host)
  const configuration = join(folder, `patroni-${host}.json`)
  mkdirSync(data, { recursive: true })
  chmodSync(data, 0o700)
  mkdirSync(sockets, { recursive: true })
  // JSON is YAML.
  writeFileSync(configuration, JSON.stringify(patroniOf(host, data, sockets)))
  const [uid, gid] = [await idOf('-u'), await idOf('-g')]
  for (const path of [data, sockets, configuration]) chownSync(path, uid, gid)
  start({
    name: `patroni-${host}`,
    host,
    asPostgres: true,
    environment: await patroniEnvironment(),
    command: ['/usr/bin/python3', '-m', 'patroni', configuration],
  })
}

function patroniOf(host: EngineHost, data: string, sockets: string) {
  const at = (port: number) => `${addresses[host]}:${port}`
  const account = (username: string) => ({ username, password: username })
  return {
    scope: 'chorale',
    name: host,
    restapi: { listen: at(ports.patroni), connect_address: at(ports.patroni) },
    etcd3: { hosts: engineHosts.map((each) => `${addresses[each]}:${ports.etcd}`) },
    bootstrap: {
      dcs: {
        // A leader is replaced when it was silent for so long; at least twice the time of a retry and a pause.
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 8,
        maximum_lag_on_failover: 1_048_576,
        primary_start_timeout: 0,
        synchronous_mode: true,
        // Without a synchronous standby the leader waits, rather than acknowledge alone.
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 300,
            shared_buffers: '256MB',
            max_wal_size: '2GB',
            wal_log_hints: 'on',
            synchronous_commit: 'on',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      pg_hba: [
        'local all all trust',
        'host all all samenet trust',
        'host replication all samenet trust',
      ],
    },
    postgresql: {
      listen: at(ports.postgres),
      connect_address: at(ports.postgres),
      data_dir: data,
      bin_dir: programs(),
      pgpass: join(sockets, 'pgpass'),
      parameters: { unix_socket_directories: sockets },
      authentication: {
        superuser: account('postgres'),
        replication: account('replicator'),
        rewind: account('rewinder'),
      },
    },
  }
}

async function idOf(flag: string): Promise<number> {
  return Number(await execute('id', [flag, 'postgres']))
}

export function startNats(host: EngineHost): void {
  const configuration = join(folder, `nats-${host}.json`)
  const store = join(diskOf('nats', host), 'store')
  mkdirSync(store, { recursive: true })
  const settings = {
    server_name: host,
    listen: `${addresses[host]}:${ports.nats}`,
    http: `${addresses[host]}:${ports.natsMonitor}`,
    jetstream: { store_dir: store, max_mem: 268_435_456, max_file: 10_737_418_240 },
    cluster: {
      name: 'chorale',
      listen: `${addresses[host]}:${ports.natsRoutes}`,
      routes: engineHosts.map((each) => `nats://${addresses[each]}:${ports.natsRoutes}`),
    },
  }
  writeFileSync(configuration, JSON.stringify(settings))
  start({ name: `nats-${host}`, host, command: ['nats-server', '-c', configuration] })
}

/** As a crash of the disk leaves it. */
export function forgetNats(host: EngineHost): void {
  rmSync(join(diskOf('nats', host), 'store'), { recursive: true, force: true })
}

/** Whoever answers `/primary` of Patroni with 200. */
export async function leader(): Promise<EngineHost | undefined> {
  return await answering('primary')
}

export async function synchronousStandby(): Promise<EngineHost | undefined> {
  return await answering('sync')
}

async function answering(path: string): Promise<EngineHost | undefined> {
  const answers = await Promise.all(
    engineHosts.map(async (host) => {
      const url = `${http(host, ports.patroni)}/${path}`
      const answer = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined)
      await answer?.body?.cancel()
      return answer?.status === 200
    }),
  )
  return engineHosts[answers.indexOf(true)]
}

interface StreamDetail {
  readonly name: string
  readonly cluster?: { readonly leader?: EngineHost }
}

/** Of the stream of events. */
export async function natsLeader(): Promise<EngineHost> {
  return await waitFor('leader of the stream of events', 30, async () => {
    for (const host of engineHosts) {
      const url = `${http(host, ports.natsMonitor)}/jsz?streams=true`
      const answer = await fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined)
      if (!answer?.ok) continue
      const { account_details: accounts = [] } = (await answer.json()) as {
        account_details?: { stream_detail?: StreamDetail[] }[]
      }
      const streams = accounts.flatMap(({ stream_detail: details = [] }) => details)
      const found = streams.find(({ name }) => name.endsWith('-events'))?.cluster?.leader
      if (found) return found
    }
    return undefined
  })
}

export function startBalancer(): void {
  const configuration = join(folder, 'haproxy.cfg')
  writeFileSync(configuration, balancerConfiguration())
  start({ name: 'haproxy', command: ['haproxy', '-db', '-f', configuration] })
}

/** As the HAProxy of an operator is told. */
function whenNoneIsReady(): string {
  const [line] = /http-error .*/.exec(readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8')) ?? []
  if (line === undefined) throw new Error('deploy/haproxy.cfg says nothing of 503.')
  return line
}

function balancerConfiguration(): string {
  const servers = (of: readonly (keyof typeof addresses)[], port: number, check: number) =>
    of.map((host) => `  server ${host} ${addresses[host]}:${port} check port ${check}`).join('\n')
  return `global
  maxconn 8000
defaults
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen primary
  mode tcp
  bind ${outside}:${ports.balancedDatabase}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers(engineHosts, ports.postgres, ports.patroni)}
listen api
  mode http
  bind ${outside}:${ports.balancedApi}
  ${whenNoneIsReady()}
  option redispatch
  retries 3
  option httpchk GET /readyz
  default-server inter 1s fall 2 rise 1
${servers(['s1', 's2'], ports.api, ports.operations.api)}
listen gateway
  mode tcp
  balance leastconn
  bind ${outside}:${ports.balancedGateway}
  option redispatch
  retries 3
  option httpchk GET /readyz
  default-server inter 1s fall 2 rise 1
${servers(['s1', 's2'], ports.gateway, ports.operations.gateway)}
`
}
