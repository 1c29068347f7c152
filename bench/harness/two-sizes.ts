import type { ScratchDatabase } from '../../packages/testing/src/engines/scratch-database.ts'
import { type Cpu, cpuDuring, cpuOfEach } from './cpu.ts'
import { median, rounded } from './figures.ts'
import type { Serving } from './serving.ts'
import { warmUp, wrk } from './wrk.ts'

const connections = 64

const sizes = ['small', 'large'] as const
export type Size = (typeof sizes)[number]
const calls = ['send', 'history'] as const
export type Call = (typeof calls)[number]

/** A service of one size, and the load for it. */
export interface Install {
  readonly database: ScratchDatabase
  readonly served: Serving
  readonly scripts: Readonly<Record<Call, () => string>>
}

export interface Load {
  readonly rounds: number
  readonly seconds: number
  /** Answers before anything counts, if not as many as are usually enough. */
  readonly warmUp?: number
  say(line: string): void
}

interface Cost {
  readonly perSecond: number
  readonly cpu: Cpu
}

export type Costs = Readonly<Record<Size, Cost[]>>

/** A send and a page of history on both, in turns. */
export async function compareSizes(
  installs: Readonly<Record<Size, Install>>,
  load: Load,
): Promise<Record<Call, Costs>> {
  return {
    send: await inTurns(installs, 'send', load),
    history: await inTurns(installs, 'history', load),
  }
}

async function inTurns(
  installs: Readonly<Record<Size, Install>>,
  call: Call,
  load: Load,
): Promise<Costs> {
  const costs: Costs = { small: [], large: [] }
  for (const { served, scripts } of Object.values(installs)) {
    await warmUp(served.origin, scripts[call], connections, load.warmUp)
  }
  for (let round = 1; round <= load.rounds; round++) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
      const cost = await measure(installs[size], call, load.seconds)
      costs[size].push(cost)
      const { perSecond, cpu } = cost
      const [own, postgres] = [rounded(cpu.server, 0), rounded(cpu.postgres, 0)]
      load.say(`${call}, ${size}: ${rounded(perSecond, 0)} a second, ${own} and ${postgres} µs`)
    }
  }
  return costs
}

async function measure(
  { database, served, scripts }: Install,
  call: Call,
  seconds: number,
): Promise<Cost> {
  const { result, cpu } = await cpuDuring(served.pid, database.query, () =>
    wrk(served.origin, scripts[call](), { connections, seconds }),
  )
  return { perSecond: result.perSecond, cpu: cpuOfEach(cpu, result.requests) }
}

export function ratioOf({ small, large }: Costs, read: (cost: Cost) => number): number {
  return rounded(median(large.map(read)) / median(small.map(read)))
}

/** Of all calls and sizes; `names` says what the sizes are. */
export function rowsOf(
  measured: Readonly<Record<Call, Costs>>,
  names: Readonly<Record<Size, string>>,
) {
  return calls.flatMap((call) =>
    sizes.map((size) => {
      const middle = (read: (cost: Cost) => number) =>
        rounded(median(measured[call][size].map(read)), 0)
      return {
        Call: call,
        With: names[size],
        'calls/s': middle(({ perSecond }) => perSecond),
        server: middle(({ cpu }) => cpu.server),
        PostgreSQL: middle(({ cpu }) => cpu.postgres),
      }
    }),
  )
}
