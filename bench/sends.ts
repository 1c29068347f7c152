import type { ScratchDatabase } from '../packages/testing/src/engines/scratch-database.ts'
import { bareAppend, violations } from './harness/bare-append.ts'
import type { Bench, BenchContext, Served } from './harness/context.ts'
import { loadConversations, pairs } from './harness/conversations.ts'
import { type Cpu, cpuDuring, cpuOfEach } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { type PacedResult, pacedSends } from './harness/paced.ts'
import { type Bare, between, bothPgbenches, pacedPgbench } from './harness/pgbench.ts'
import type { Goal, Report, Table } from './harness/report.ts'
import { sendScript } from './harness/sends.ts'
import { growthOf, type Stored, storedBytes } from './harness/storage.ts'
import { warmUp, wrk } from './harness/wrk.ts'

const connections = 128
const bareClients = 16
const perSecond = 1000
const bareApp = 'bench0000000'
const bareScript = bareAppend(bareApp, `random(1, ${pairs})`)

interface Round {
  readonly bare: Bare
  readonly sends: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpu: Cpu
  readonly ratio: number
  /** Against the best that bare can do. */
  readonly strictRatio: number
}

export const bench: Bench = {
  name: 'sends',
  summary: 'sending over HTTP against bare pgbench; paced sends; CPU and bytes of a message',
  async run(ctx) {
    const { rounds = 3, seconds = 10 } = ctx.options
    // Apart from each other, so that what is counted in bytes was all stored by the service.
    const bare = await ctx.freshDatabase()
    const own = await ctx.freshDatabase()
    const served = await ctx.serve(own.url)
    await loadConversations(own.query, served.appId)
    await loadConversations(bare.query, await anApp(bare))
    const before = await storedBytes(own.query)
    ctx.say('warming up')
    await warmUp(served.origin, () => sendScript(served), connections)
    const results: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      results.push(await oneRound(ctx, { bare, own, served, seconds, round }))
    }
    const paced = await oneAfterAnother(ctx, own, served, seconds)
    const barePaced = await pacedPgbench(bare.url, bareScript, {
      clients: bareClients,
      perSecond,
      seconds,
    })
    const stored = await bytesOfSends(own, before)
    return report(results, { paced, barePaced }, stored, await violations(own.query))
  },
}

/** Rows need one; bare has no use for its keys. */
async function anApp({ query }: ScratchDatabase): Promise<string> {
  const appId = bareApp
  await query(`insert into apps (app_id, name, region, created_at) values ($1, 'Bench', 'us', 1)`, [
    appId,
  ])
  await query(
    `insert into roles (app_id, role, name, created_at) values ($1, 'default', 'Default', 1)`,
    [appId],
  )
  return appId
}

interface Sides {
  readonly bare: ScratchDatabase
  readonly own: ScratchDatabase
  readonly served: Served
  readonly seconds: number
  readonly round: number
}

async function oneRound({ say }: BenchContext, sides: Sides): Promise<Round> {
  const { served, seconds, round } = sides
  const bareTps = () => bothPgbenches(sides.bare.url, bareScript, { clients: bareClients, seconds })
  const before = await bareTps()
  const { result, cpu } = await cpuDuring(served.pid, sides.own.query, () =>
    wrk(served.origin, sendScript(served), { connections, seconds }),
  )
  const bare = between(before, await bareTps())
  const { perSecond: sends, p50Ms, p99Ms } = result
  const { chosen, kept } = bare
  say(
    `round ${round}: bare ${rounded(chosen, 0)} and ${rounded(kept, 0)}, sends ${rounded(sends, 0)}`,
  )
  return {
    bare,
    sends,
    p50Ms,
    p99Ms,
    cpu: cpuOfEach(cpu, result.requests),
    ratio: sends / chosen,
    strictRatio: sends / kept,
  }
}

async function oneAfterAnother(
  { say }: BenchContext,
  { query }: ScratchDatabase,
  served: Served,
  seconds: number,
): Promise<PacedResult & { readonly cpu: Cpu }> {
  say(`${perSecond} a second`)
  const { result, cpu } = await cpuDuring(served.pid, query, () =>
    pacedSends(served, { perSecond, seconds }),
  )
  return { ...result, cpu: cpuOfEach(cpu, result.sent) }
}

interface Storage {
  readonly messages: number
  readonly parts: readonly Stored[]
}

/** Whatever grew; what was there before the first message is not counted. */
async function bytesOfSends(
  { query }: ScratchDatabase,
  before: readonly Stored[],
): Promise<Storage> {
  const rows = await query('select count(*)::int as n from entries')
  // One row with one number, as the statement says.
  const [{ n: messages }] = rows as [{ n: number }]
  return { messages, parts: growthOf(before, await storedBytes(query)) }
}

interface Paces {
  readonly paced: PacedResult & { readonly cpu: Cpu }
  /** What PostgreSQL alone does at that pace, on this machine in this hour. */
  readonly barePaced: PacedResult
}

function report(
  rounds: readonly Round[],
  { paced, barePaced }: Paces,
  { messages, parts }: Storage,
  broken: number,
): Report {
  const middle = (read: (round: Round) => number, digits = 0) =>
    rounded(median(rounds.map(read)), digits)
  const ratio = middle((round) => round.ratio, 2)
  const strictRatio = middle((round) => round.strictRatio, 2)
  const cpuUsPerSend = {
    server: middle(({ cpu }) => cpu.server),
    postgres: middle(({ cpu }) => cpu.postgres),
    load: middle(({ cpu }) => cpu.load),
  }
  const bytesPerMessage = rounded(parts.reduce((sum, { bytes }) => sum + bytes, 0) / messages, 0)
  const pace = { p50Ms: rounded(paced.p50Ms), p99Ms: rounded(paced.p99Ms) }
  const barePace = { p50Ms: rounded(barePaced.p50Ms), p99Ms: rounded(barePaced.p99Ms) }
  const goals: Goal[] = [
    { what: 'sends against bare', value: ratio, atLeast: 1.2 },
    { what: `p99 ms at ${perSecond} a second`, value: pace.p99Ms, atMost: 10 },
    { what: 'bytes of a stored message', value: bytesPerMessage, atMost: 700 },
    { what: 'holes in seq or ids out of order', value: broken, atMost: 0 },
  ]
  const loads = [
    {
      Load: 'all it takes',
      'sends/s': middle(({ sends }) => sends),
      'p50 ms': middle(({ p50Ms }) => p50Ms, 1),
      'p99 ms': middle(({ p99Ms }) => p99Ms, 1),
      ...cpuColumns(cpuUsPerSend),
    },
    {
      Load: 'paced',
      'sends/s': perSecond,
      'p50 ms': rounded(paced.p50Ms, 1),
      'p99 ms': rounded(paced.p99Ms, 1),
      ...cpuColumns(paced.cpu),
    },
  ]
  return {
    tables: [
      {
        title:
          `Bare: ${middle(({ bare }) => bare.chosen)} messages/s, with its plan kept ` +
          `${middle(({ bare }) => bare.kept)}. Sends, CPU in µs a send`,
        rows: loads,
      },
      bytesTable(parts, messages),
    ],
    goals,
    notes: [
      `Rounds: ${rounds.map((round) => rounded(round.ratio)).join(', ')}; wrk: ${connections} connections; ` +
        `bare: ${bareClients} clients. Under 0.9 is a defect. Against bare with its plan kept: ${strictRatio}.`,
      'Paced: waits count from the moment at which a message should have been sent. ' +
        `Bare at that pace: p50 ${barePace.p50Ms} ms, p99 ${barePace.p99Ms} ms.`,
    ],
    figures: {
      ratio,
      strictRatio,
      rounds: rounds.map((round) => rounded(round.ratio)),
      paced: pace,
      barePaced: barePace,
      p99AgainstBare: rounded(paced.p99Ms / barePaced.p99Ms),
      cpuUsPerSend,
      bytesPerMessage,
    },
  }
}

function cpuColumns({ server, postgres, load }: Cpu) {
  return {
    server: rounded(server, 0),
    PostgreSQL: rounded(postgres, 0),
    'load itself': rounded(load, 0),
  }
}

function bytesTable(parts: readonly Stored[], messages: number): Table {
  return {
    title: `Bytes a message, ${messages} messages`,
    rows: parts.map(({ table, index, bytes }) => ({
      Table: table,
      Index: index,
      bytes: rounded(bytes / messages, 1),
    })),
  }
}
