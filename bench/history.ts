import type { ScratchDatabase } from '../packages/testing/src/engines/scratch-database.ts'
import type { Bench, BenchContext, OneAndAll, Served } from './harness/context.ts'
import { fillEntries, loadConversations } from './harness/conversations.ts'
import { type Cpu, cpuDuring, cpuOfEach } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { bareHistory, historyScript, type Kind, kinds, perPage } from './harness/history.ts'
import { type Bare, between, bothPgbenches } from './harness/pgbench.ts'
import { warmUp, wrk } from './harness/wrk.ts'

const connections = 64
const bareClients = 16
const goals = { user: 0.45, group: 0.35 }

interface Load {
  readonly pages: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpu: Cpu
}

interface Round {
  readonly bare: Bare
  /** Of one process, and of one for each core, as `--processes auto` starts them. */
  readonly one: Load
  readonly all: Load
}

export const bench: Bench = {
  name: 'history',
  summary: `the last ${perPage} messages of a conversation over HTTP against bare pgbench, at 5 million messages`,
  async run(ctx) {
    const { rows = 5_000_000, rounds = 3, seconds = 10 } = ctx.options
    const database = await ctx.freshDatabase()
    const served = await ctx.serveOnOneAndAllCores(database.url)
    const { appId } = served.one
    ctx.say(`loading ${rows} messages`)
    await loadConversations(database.query, [appId])
    await fillEntries(database.url, [appId], rows)
    const measured = {
      user: await compare(ctx, { database, served, kind: 'user', rounds, seconds }),
      group: await compare(ctx, { database, served, kind: 'group', rounds, seconds }),
    }
    const { user, group } = measured
    return {
      tables: [
        {
          title: `Pages of ${perPage} a second, median of the rounds; CPU in µs a page`,
          rows: kinds.flatMap((kind) => measured[kind].rows),
        },
      ],
      goals: kinds.map((kind) => ({
        what: `history of a ${kind} against bare`,
        value: measured[kind].ratio,
        atLeast: goals[kind],
      })),
      notes: [
        `${rounds} rounds of ${seconds} s each way, in turns; wrk: ${connections} connections; bare: ${bareClients} clients.`,
      ],
      figures: {
        ratio: user.ratio,
        strictRatio: user.strictRatio,
        rounds: user.rounds,
        group: { ratio: group.ratio, strictRatio: group.strictRatio, rounds: group.rounds },
      },
    }
  },
}

interface Sides {
  readonly database: ScratchDatabase
  readonly served: OneAndAll
  readonly kind: Kind
  readonly rounds: number
  readonly seconds: number
}

async function compare({ say }: BenchContext, sides: Sides) {
  const { served, kind } = sides
  for (const { origin } of [served.one, served.all]) {
    await warmUp(origin, () => historyScript(served.one, kind), connections)
  }
  const results: Round[] = []
  for (let round = 1; round <= sides.rounds; round++) {
    const result = await oneRound(sides)
    results.push(result)
    const { bare, one, all } = result
    const figures = [bare.chosen, bare.kept, one.pages, all.pages].map((each) => rounded(each, 0))
    say(
      `${kind}, round ${round}: bare ${figures[0]} and ${figures[1]}, pages ${figures[2]} and ${figures[3]}`,
    )
  }
  const middle = (read: (round: Round) => number, digits = 0) =>
    rounded(median(results.map(read)), digits)
  const rowOf = (load: 'one' | 'all') => ({
    Of: kind,
    processes: load,
    bare: middle(({ bare }) => bare.chosen),
    'plan kept': middle(({ bare }) => bare.kept),
    pages: middle((round) => round[load].pages),
    'p50 ms': middle((round) => round[load].p50Ms, 1),
    'p99 ms': middle((round) => round[load].p99Ms, 1),
    server: middle((round) => round[load].cpu.server),
    PostgreSQL: middle((round) => round[load].cpu.postgres),
    'load itself': middle((round) => round[load].cpu.load),
    ratio: middle((round) => round[load].pages / round.bare.chosen, 2),
    // The best that bare can do.
    'against kept': middle((round) => round[load].pages / round.bare.kept, 2),
  })
  const all = rowOf('all')
  return {
    ratio: all.ratio,
    strictRatio: all['against kept'],
    rounds: results.map(({ all, bare }) => rounded(all.pages / bare.chosen)),
    rows: [rowOf('one'), all],
  }
}

async function oneRound(sides: Sides): Promise<Round> {
  const { database, served, kind, seconds } = sides
  const script = bareHistory(kind)
  const bareTps = () => bothPgbenches(database.url, script, { clients: bareClients, seconds })
  const before = await bareTps()
  const one = await loaded(served.one, sides)
  const all = await loaded(served.all, sides)
  return { bare: between(before, await bareTps()), one, all }
}

async function loaded(served: Served, { database, kind, seconds }: Sides): Promise<Load> {
  const { result, cpu } = await cpuDuring(served.pid, database.query, () =>
    wrk(served.origin, historyScript(served, kind), { connections, seconds }),
  )
  const { perSecond: pages, p50Ms, p99Ms } = result
  return { pages, p50Ms, p99Ms, cpu: cpuOfEach(cpu, result.requests) }
}
