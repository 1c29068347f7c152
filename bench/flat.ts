import type { ScratchDatabase } from '../packages/testing/src/engines/scratch-database.ts'
import type { Bench, BenchContext, Served } from './harness/context.ts'
import { fillEntries, loadConversations } from './harness/conversations.ts'
import { cpuDuring } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { historyScript } from './harness/history.ts'
import { sendScript, type Target } from './harness/sends.ts'
import { warmUp, wrk } from './harness/wrk.ts'

const smallRows = 100_000
const connections = 64
const maxRatio = 1.3

const calls = {
  send: sendScript,
  history: (target: Target) => historyScript(target, 'user'),
} as const
type Call = keyof typeof calls

const sizes = ['small', 'large'] as const
type Size = (typeof sizes)[number]

interface Fixture {
  readonly database: ScratchDatabase
  readonly served: Served
}

interface Cost {
  readonly perSecond: number
  readonly postgresUs: number
}

export const bench: Bench = {
  name: 'flat',
  summary: 'a send and a page of history with 5 million messages stored against 100,000',
  async run(ctx) {
    const { rows = 5_000_000, rounds = 3, seconds = 10 } = ctx.options
    const fixtures = {
      small: await prepare(ctx, smallRows),
      large: await prepare(ctx, rows),
    }
    const measured = {
      send: await inTurns(ctx, fixtures, 'send', rounds, seconds),
      history: await inTurns(ctx, fixtures, 'history', rounds, seconds),
    }
    const rowsOf = (call: Call) => sizes.map((size) => rowOf(call, size, measured[call][size]))
    return {
      tables: [
        {
          title: `Median of ${rounds} rounds of ${seconds} s, in turns; PostgreSQL: µs of CPU a call`,
          rows: [...rowsOf('send'), ...rowsOf('history')],
        },
      ],
      goals: (['send', 'history'] as const).map((call) => ({
        what: `${call}, CPU of PostgreSQL, large / small`,
        value: ratioOf(measured[call], ({ postgresUs }) => postgresUs),
        atMost: maxRatio,
      })),
      notes: [`Small: ${smallRows} messages, large: ${rows}, in the same number of conversations.`],
      figures: {
        ratio: ratioOf(measured.send, ({ postgresUs }) => postgresUs),
        historyRatio: ratioOf(measured.history, ({ postgresUs }) => postgresUs),
        throughput: {
          send: ratioOf(measured.send, ({ perSecond }) => perSecond),
          history: ratioOf(measured.history, ({ perSecond }) => perSecond),
        },
      },
    }
  },
}

async function prepare(ctx: BenchContext, rows: number): Promise<Fixture> {
  const database = await ctx.freshDatabase()
  const served = await ctx.serve(database.url)
  ctx.say(`loading ${rows} messages`)
  await loadConversations(database.query, served.appId)
  await fillEntries(database.url, served.appId, rows)
  return { database, served }
}

type Costs = Readonly<Record<Size, Cost[]>>

async function inTurns(
  { say }: BenchContext,
  fixtures: Readonly<Record<Size, Fixture>>,
  call: Call,
  rounds: number,
  seconds: number,
): Promise<Costs> {
  const costs: Costs = { small: [], large: [] }
  for (const { served } of Object.values(fixtures)) {
    await warmUp(served.origin, () => calls[call](served), connections)
  }
  for (let round = 1; round <= rounds; round++) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
      const cost = await measure(fixtures[size], call, seconds)
      costs[size].push(cost)
      const { perSecond, postgresUs } = cost
      say(`${call}, ${size}: ${rounded(perSecond, 0)} a second, ${rounded(postgresUs, 0)} µs`)
    }
  }
  return costs
}

async function measure({ database, served }: Fixture, call: Call, seconds: number): Promise<Cost> {
  const { result, cpu } = await cpuDuring(served.pid, database.query, () =>
    wrk(served.origin, calls[call](served), { connections, seconds }),
  )
  return { perSecond: result.perSecond, postgresUs: cpu.postgres / result.requests }
}

function ratioOf({ small, large }: Costs, read: (cost: Cost) => number): number {
  return rounded(median(large.map(read)) / median(small.map(read)))
}

function rowOf(call: Call, size: Size, costs: readonly Cost[]) {
  return {
    Call: call,
    Stored: size,
    'calls/s': rounded(median(costs.map(({ perSecond }) => perSecond)), 0),
    PostgreSQL: rounded(median(costs.map(({ postgresUs }) => postgresUs)), 0),
  }
}
