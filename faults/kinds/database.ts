import { spawn } from 'node:child_process'
import { execute, waitFor } from '../rig/commands.ts'
import { fillDisk, slowDisk, withoutDisks, withoutSlowDisks } from '../rig/disks.ts'
import {
  leader,
  startBalancer,
  startEtcd,
  startNats,
  startPatroni,
  synchronousStandby,
} from '../rig/engines.ts'
import {
  addresses,
  type EngineHost,
  engineHosts,
  outside,
  ports,
  serviceHosts,
} from '../rig/layout.ts'
import { join as joinHosts, namespaceOf, part, pidsOn, plugIn, unplug } from '../rig/network.ts'
import { signal, signalIfThere } from '../rig/processes.ts'
import { type Fault, nothing } from './fault.ts'

const aLeader = () => waitFor('primary', 30, leader)
const aStandby = () => waitFor('synchronous standby', 30, synchronousStandby)

async function signalAll(host: EngineHost, sent: NodeJS.Signals): Promise<void> {
  for (const pid of await pidsOn(host)) signalIfThere(pid, sent)
}

async function startHost(host: EngineHost): Promise<void> {
  startEtcd(host)
  startNats(host)
  await startPatroni(host)
}

/** The postmaster of a host, which is a child of nobody that the rig knows. */
async function postmasterOf(host: EngineHost): Promise<number> {
  const listen = `${addresses[host]}:${ports.postgres}`
  const text = await execute('ip', ['netns', 'exec', namespaceOf(host), 'ss', '-Htlnp'])
  const line = text.split('\n').find((each) => each.includes(listen)) ?? ''
  const pid = /pid=(\d+)/.exec(line)?.[1]
  if (pid === undefined) throw new Error(`No PostgreSQL listens on ${listen}.`)
  return Number(pid)
}

export const databaseFaults: readonly Fault[] = [
  {
    name: 'leader-killed',
    what: 'PostgreSQL of the leader is killed; its Patroni lives',
    seconds: 10,
    async begin() {
      process.kill(await postmasterOf(await aLeader()), 'SIGKILL')
      return nothing
    },
  },
  {
    name: 'leader-host-gone',
    what: 'everything on the host of the leader is killed at once: etcd, PostgreSQL, NATS',
    seconds: 40,
    async begin() {
      const host = await aLeader()
      await signalAll(host, 'SIGKILL')
      return () => startHost(host)
    },
  },
  {
    name: 'leader-paused',
    what: 'everything on the host of the leader is paused for 30 s, and goes on',
    seconds: 30,
    async begin() {
      const host = await aLeader()
      await signalAll(host, 'SIGSTOP')
      return () => signalAll(host, 'SIGCONT')
    },
  },
  {
    name: 'switchover',
    what: 'the leader gives over to the synchronous standby',
    seconds: 10,
    async begin() {
      const [from, to] = [await aLeader(), await aStandby()]
      const answer = await fetch(`http://${addresses[from]}:${ports.patroni}/switchover`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ leader: from, candidate: to }),
      })
      if (!answer.ok) throw new Error(`Patroni refused: ${await answer.text()}`)
      return nothing
    },
  },
  {
    name: 'standby-gone',
    what: 'everything on the host of the synchronous standby is killed at once',
    seconds: 30,
    async begin() {
      const host = await aStandby()
      await signalAll(host, 'SIGKILL')
      return () => startHost(host)
    },
  },
  {
    name: 'standby-slow',
    what: 'the synchronous standby is stopped and resumed every half second',
    seconds: 20,
    async begin() {
      const pid = await postmasterOf(await aStandby())
      const children = async () =>
        (await execute('pgrep', ['-P', String(pid)])).split('\n').filter(Boolean).map(Number)
      let paused = false
      const timer = setInterval(async () => {
        paused = !paused
        for (const child of await children()) signalIfThere(child, paused ? 'SIGSTOP' : 'SIGCONT')
      }, 500)
      return async () => {
        clearInterval(timer)
        for (const child of await children()) signalIfThere(child, 'SIGCONT')
      }
    },
  },
  {
    name: 'leader-disk-full',
    what: 'the disk of the leader is full',
    seconds: 30,
    cannot: withoutDisks,
    async begin() {
      const host = await aLeader()
      const empty = await fillDisk('postgres', host)
      return async () => empty()
    },
  },
  {
    name: 'leader-disk-slow',
    what: 'the disk of the leader writes 100 KB a second',
    seconds: 20,
    cannot: withoutSlowDisks,
    async begin() {
      const host = await aLeader()
      const again = await slowDisk('postgres', host, 100_000)
      return async () => again()
    },
  },
  {
    name: 'leader-cut-off',
    what: 'the cable of the leader is pulled: it reaches nobody',
    seconds: 40,
    async begin() {
      const host = await aLeader()
      await unplug(host)
      return () => plugIn(host)
    },
  },
  {
    name: 'leader-in-minority',
    what: 'the two other engine hosts drop what comes from the leader; the service still reaches it',
    seconds: 40,
    async begin() {
      const host = await aLeader()
      const others = engineHosts.filter((each) => each !== host)
      for (const other of others) await part(host, other)
      return async () => {
        for (const other of others) await joinHosts(host, other)
      }
    },
  },
  {
    name: 'service-cut-off',
    what: 'one host of the service reaches no engine',
    seconds: 20,
    async begin() {
      const [host] = serviceHosts
      await unplug(host)
      return () => plugIn(host)
    },
  },
  {
    name: 'balancer-restarted',
    what: 'HAProxy, in front of PostgreSQL and of the service, is killed and started again',
    seconds: 2,
    async begin() {
      signal('haproxy', 'SIGKILL')
      return async () => startBalancer()
    },
  },
  {
    name: 'connections-used-up',
    what: 'somebody else takes every connection that PostgreSQL has left',
    seconds: 20,
    async begin() {
      const at = ['-h', outside, '-p', String(ports.balancedDatabase), '-U', 'postgres', 'postgres']
      const sleepers = Array.from({ length: 290 }, () =>
        spawn('psql', [...at, '-c', 'select pg_sleep(60)'], { stdio: 'ignore' }),
      )
      return async () => {
        for (const sleeper of sleepers) sleeper.kill('SIGKILL')
      }
    },
  },
]
