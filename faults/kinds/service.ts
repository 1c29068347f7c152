import { setTimeout as after } from 'node:timers/promises'
import { choraleJson, nameOf, startPart } from '../rig/chorale.ts'
import { setClock, withoutClocks } from '../rig/clocks.ts'
import { waitFor } from '../rig/commands.ts'
import { type Host, type Part, parts, serviceHosts } from '../rig/layout.ts'
import { limitMemory, withoutMemoryLimits } from '../rig/memory.ts'
import { calm, disturb } from '../rig/network.ts'
import { pidOf, signal } from '../rig/processes.ts'
import { installNextRelease } from '../rig/release.ts'
import { untilReady } from '../rig/rig.ts'
import { type Fault, nothing } from './fault.ts'

type Place = readonly [Part, Host]

const everywhere: readonly Place[] = serviceHosts.flatMap((host) =>
  parts.map((each) => [each, host] as const),
)

async function killed(places: readonly Place[]): Promise<() => Promise<void>> {
  for (const place of places) signal(nameOf(...place), 'SIGKILL')
  return async () => {
    for (const place of places) startPart(...place)
  }
}

/** As an operator does: it may end what it has begun. */
async function restart(place: Place): Promise<void> {
  const name = nameOf(...place)
  signal(name, 'SIGTERM')
  await waitFor(`end of ${name}`, 40, async () => pidOf(name) === undefined)
  startPart(...place)
  await untilReady(60)
  await after(500)
}

const kill = (each: Part): Fault => ({
  name: `${each}-killed`,
  what: `one of two processes of the ${each === 'api' ? 'API' : each} part is killed`,
  seconds: 3,
  begin: () => killed([[each, 's1']]),
})

export const serviceFaults: readonly Fault[] = [
  ...parts.map(kill),
  {
    name: 'everything-killed',
    what: 'all six processes of the service are killed at once',
    seconds: 1,
    begin: () => killed(everywhere),
  },
  {
    name: 'rolling-restart',
    what: 'each process of the service is asked to end and is started again, one after the other',
    seconds: 0,
    async begin() {
      for (const place of everywhere) await restart(place)
      return nothing
    },
  },
  {
    name: 'rolling-upgrade',
    what: 'a next release migrates the database and replaces each process, workers last',
    seconds: 0,
    async begin() {
      await installNextRelease()
      // It may meet another fault, and is run again, as an operator does.
      const migrate = () => choraleJson('migrate').catch(() => undefined)
      await waitFor('end of the migration', 120, migrate)
      for (const part of parts) for (const host of serviceHosts) await restart([part, host])
      return nothing
    },
  },
  {
    name: 'memory-limit-hit',
    what: 'a process of the API part wants more memory than it may have, and the kernel kills it',
    seconds: 0,
    cannot: withoutMemoryLimits,
    async begin() {
      const name = nameOf('api', 's1')
      const pid = await waitFor(`process ${name}`, 60, async () => pidOf(name))
      const unlimit = limitMemory(pid, 20_000_000)
      await waitFor(`end of ${name}`, 60, async () => pidOf(name) === undefined)
      return async () => {
        await unlimit()
        startPart('api', 's1')
      }
    },
  },
  {
    name: 'clock-stepped',
    what: 'the clock of one host of the service is put forward by 90 s, and back',
    seconds: 15,
    cannot: withoutClocks,
    async begin() {
      setClock('s1', 90)
      return async () => setClock('s1', 0)
    },
  },
  {
    name: 'packets-lost',
    what: 'a tenth of the packets to one host of the service is lost, the others take 50 ms',
    seconds: 20,
    async cannot() {
      try {
        await disturb('s1', ['delay', '0ms'])
        await calm('s1')
        return undefined
      } catch {
        return 'the kernel of this machine has no netem'
      }
    },
    async begin() {
      await disturb('s1', ['loss', '10%', 'delay', '50ms'])
      return () => calm('s1')
    },
  },
]
