import type { ScratchDatabase } from '../packages/testing/src/engines/scratch-database.ts'
import type { Bench, BenchContext, Served } from './harness/context.ts'
import { fillEntries, loadConversations } from './harness/conversations.ts'
import { type Cpu, cpuDuring, cpuOfEach } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { bareHistory, historyScript, type Kind, kinds, perPage } from './harness/history.ts'
import { type Bare, between, bothPgbenches } from './harness/pgbench.ts'
import { warmUp, wrk } from './harness/wrk.ts'

const connections = 64
const bareClients = 16
const goals = { user: 0.45, group: 0.35 }

interface Round {
  readonly bare: Bare
  readonly pages: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpu: Cpu
  readonly ratio: number
  /** Against the best that bare can do. */
  readonly strictRatio: number
}

export const bench: Bench = {
  name: 'history',
  summary: `the last ${perPage} messages of a conversation over HTTP against bare pgbench, at 5 million messages`,
  async run(ctx) {
    const { rows = 5_000_000, rounds = 3, seconds = 10 } = ctx.options
    const database = await ctx.freshDatabase()
    const served = await ctx.serve(database.url)
    ctx.say(`loading ${rows} messages`)
    await loadConversations(database.query, served.appId)
    await fillEntries(database.url, served.appId, rows)
    const measured = {
      user: await compare(ctx, { database, served, kind: 'user', rounds, seconds }),
      group: await compare(ctx, { database, served, kind: 'group', rounds, seconds }),
    }
    const { user, group } = measured
    return {
      tables: [
        {
          title: `Pages of ${perPage} a second, median of the rounds; CPU in µs a page`,
          rows: kinds.map((kind) => measured[kind].row),
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
  readonly served: Served
  readonly kind: Kind
  readonly rounds: number
  readonly seconds: number
}

async function compare({ say }: BenchContext, sides: Sides) {
  const { served, kind } = sides
  await warmUp(served.origin, () => historyScript(served, kind), connections)
  const results: Round[] = []
  for (let round = 1; round <= sides.rounds; round++) {
    const result = await oneRound(sides)
    results.push(result)
    const { bare, pages } = result
    const { chosen, kept } = bare
    say(
      `${kind}, round ${round}: bare ${rounded(chosen, 0)} and ${rounded(kept, 0)}, pages ${rounded(pages, 0)}`,
    )
  }
  const middle = (read: (round: Round) => number, digits = 0) =>
    rounded(median(results.map(read)), digits)
  const ratio = middle((round) => round.ratio, 2)
  const strictRatio = middle((round) => round.strictRatio, 2)
  return {
    ratio,
    strictRatio,
    rounds: results.map((round) => rounded(round.ratio)),
    row: {
      Of: kind,
      bare: middle(({ bare }) => bare.chosen),
      'plan kept': middle(({ bare }) => bare.kept),
      pages: middle(({ pages }) => pages),
      'p50 ms': middle(({ p50Ms }) => p50Ms, 1),
      'p99 ms': middle(({ p99Ms }) => p99Ms, 1),
      server: middle(({ cpu }) => cpu.server),
      PostgreSQL: middle(({ cpu }) => cpu.postgres),
      'load itself': middle(({ cpu }) => cpu.load),
      ratio,
      'against kept': strictRatio,
    },
  }
}

async function oneRound({ database, served, kind, seconds }: Sides): Promise<Round> {
  const script = bareHistory(kind)
  const bareTps = () => bothPgbenches(database.url, script, { clients: bareClients, seconds })
  const before = await bareTps()
  const { result, cpu } = await cpuDuring(served.pid, database.query, () =>
    wrk(served.origin, historyScript(served, kind), { connections, seconds }),
  )
  const bare = between(before, await bareTps())
  const { perSecond: pages, p50Ms, p99Ms } = result
  return {
    bare,
    pages,
    p50Ms,
    p99Ms,
    cpu: cpuOfEach(cpu, result.requests),
    ratio: pages / bare.chosen,
    strictRatio: pages / bare.kept,
  }
}
