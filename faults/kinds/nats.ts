import { fillDisk, withoutDisks } from '../rig/disks.ts'
import { forgetNats, natsLeader, startNats } from '../rig/engines.ts'
import { type EngineHost, engineHosts } from '../rig/layout.ts'
import { join, part } from '../rig/network.ts'
import { signal, stop } from '../rig/processes.ts'
import type { Fault } from './fault.ts'

async function killed(hosts: readonly EngineHost[]): Promise<() => Promise<void>> {
  for (const host of hosts) signal(`nats-${host}`, 'SIGKILL')
  return async () => {
    for (const host of hosts) startNats(host)
  }
}

const followers = async () => {
  const first = await natsLeader()
  return engineHosts.filter((host) => host !== first)
}

export const natsFaults: readonly Fault[] = [
  {
    name: 'nats-follower-killed',
    what: 'a NATS server that does not lead the stream of events is killed',
    seconds: 10,
    begin: async () => killed((await followers()).slice(0, 1)),
  },
  {
    name: 'nats-leader-killed',
    what: 'the NATS server that leads the stream of events is killed',
    seconds: 10,
    begin: async () => killed([await natsLeader()]),
  },
  {
    name: 'nats-without-quorum',
    what: 'two of three NATS servers are killed',
    seconds: 20,
    begin: async () => killed(await followers()),
  },
  {
    name: 'nats-gone',
    what: 'all three NATS servers are killed',
    seconds: 20,
    begin: () => killed(engineHosts),
  },
  {
    name: 'nats-storage-lost',
    what: 'a NATS server is killed and comes back with an empty disk',
    seconds: 10,
    async begin() {
      const [host = 'e1'] = await followers()
      const again = await killed([host])
      forgetNats(host)
      return again
    },
  },
  {
    name: 'nats-disk-full',
    what: 'the disk of the NATS server that leads the stream of events is full',
    seconds: 20,
    cannot: withoutDisks,
    async begin() {
      const host = await natsLeader()
      const empty = await fillDisk('nats', host)
      return async () => {
        empty()
        // It writes nothing until it is started again.
        await stop(`nats-${host}`)
        startNats(host)
      }
    },
  },
  {
    name: 'nats-parted',
    what: 'two engine hosts drop what comes from each other',
    seconds: 20,
    async begin() {
      const [one = 'e1', other = 'e2'] = await followers()
      await part(one, other)
      return () => join(one, other)
    },
  },
]
