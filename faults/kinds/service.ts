import { setTimeout as after } from 'node:timers/promises'
import { nameOf, startPart } from '../rig/chorale.ts'
import { waitFor } from '../rig/commands.ts'
import { type Host, type Part, parts, serviceHosts } from '../rig/layout.ts'
import { calm, disturb } from '../rig/network.ts'
import { pidOf, signal } from '../rig/processes.ts'
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

const kill = (each: Part): Fault => ({
  name: `${each}-killed`,
  what: `one of two processes of the ${each} part is killed`,
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
      for (const place of everywhere) {
        const name = nameOf(...place)
        signal(name, 'SIGTERM')
        await waitFor(`end of ${name}`, 40, async () => pidOf(name) === undefined)
        startPart(...place)
        await untilReady(60)
        await after(500)
      }
      return nothing
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
