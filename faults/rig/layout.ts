import { fileURLToPath } from 'node:url'

// Five hosts on a bridge of their own: three with etcd, PostgreSQL under Patroni and NATS, two with Chorale. The load,
// the balancer and the receiver of webhooks run outside of them.

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const folder = process.env.FAULTS_FOLDER ?? '/var/tmp/chorale-faults'

export const engineHosts = ['e1', 'e2', 'e3'] as const
export const serviceHosts = ['s1', 's2'] as const
export type EngineHost = (typeof engineHosts)[number]
export type Host = EngineHost | (typeof serviceHosts)[number]
export const hosts: readonly Host[] = [...engineHosts, ...serviceHosts]

const network = '10.77.0'
/** Of the bridge, and so of everything that runs outside of the hosts. */
export const outside = `${network}.254`
export const addresses: Readonly<Record<Host, string>> = {
  e1: `${network}.1`,
  e2: `${network}.2`,
  e3: `${network}.3`,
  s1: `${network}.11`,
  s2: `${network}.12`,
}

export const ports = {
  etcd: 2379,
  etcdPeers: 2380,
  patroni: 8008,
  postgres: 5432,
  nats: 4222,
  natsRoutes: 6222,
  natsMonitor: 8222,
  api: 3000,
  gateway: 3001,
  /** Of the three parts of Chorale on a host, in this order. */
  operations: { api: 3100, gateway: 3101, worker: 3102 },
  balancedDatabase: 5470,
  balancedApi: 5480,
  balancedGateway: 5481,
  webhooks: 5490,
} as const

export const parts = ['api', 'gateway', 'worker'] as const
export type Part = (typeof parts)[number]
