import type { ScratchDatabase } from '../packages/testing/src/engines/scratch-database.ts'
import { bareAppend, violations } from './harness/bare-append.ts'
import type { Bench, BenchContext, OneAndAll, Served } from './harness/context.ts'
import { loadConversations, pairs } from './harness/conversations.ts'
import { type Cpu, cpuDuring, cpuOfEach, postgresUsDuring } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { type PacedResult, pacedSends } from './harness/paced.ts'
import { type Bare, between, bothPgbenches, pacedPgbench } from './harness/pgbench.ts'
import type { Goal, Report, Table } from './harness/report.ts'
import { sendScript } from './harness/sends.ts'
import { growthOf, type Stored, storedBytes } from './harness/storage.ts'
import { warmUp, wrk } from './harness/wrk.ts'

// With 128, two batches on their way can hold every call, and Node waits for them.
const connections = 256
const bareClients = 16
const perSecond = 1000
const bareApp = 'bench0000000'
const bareScript = bareAppend(bareApp, `random(1, ${pairs})`)

interface Load {
  readonly sends: number
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
  name: 'sends',
  summary: 'sending over HTTP against bare pgbench; paced sends; CPU and bytes of a message',
  async run(ctx) {
    const { rounds = 3, seconds = 10 } = ctx.options
    // Apart from each other, so that what is counted in bytes was all stored by the service.
    const bare = await ctx.freshDatabase()
    const own = await ctx.freshDatabase()
    const served = await ctx.serveOnOneAndAllCores(own.url)
    const { one, all } = served
    await loadConversations(own.query, [one.appId])
    await loadConversations(bare.query, [await anApp(bare)])
    const before = await storedBytes(own.query)
    ctx.say('warming up')
    for (const { origin } of [one, all]) await warmUp(origin, () => sendScript(one), connections)
    const results: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      results.push(await oneRound(ctx, { bare, own, served, seconds, round }))
    }
    const paces: Pace[] = []
    ctx.say(`${perSecond} a second`)
    while (paces.length < rounds) paces.push(await onePace({ bare, own, served, seconds }))
    const stored = await bytesOfSends(own, before)
    return report(results, paces, stored, await violations(own.query))
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
  readonly served: OneAndAll
  readonly seconds: number
}

async function oneRound(
  { say }: BenchContext,
  { round, ...sides }: Sides & { readonly round: number },
): Promise<Round> {
  const { served, seconds } = sides
  const bareTps = () => bothPgbenches(sides.bare.url, bareScript, { clients: bareClients, seconds })
  const before = await bareTps()
  const one = await loaded(served.one, sides)
  const all = await loaded(served.all, sides)
  const bare = between(before, await bareTps())
  const figures = [bare.chosen, bare.kept, one.sends, all.sends].map((each) => rounded(each, 0))
  say(`round ${round}: bare ${figures[0]} and ${figures[1]}, sends ${figures[2]} and ${figures[3]}`)
  return { bare, one, all }
}

async function loaded(served: Served, { own, seconds }: Sides): Promise<Load> {
  const { result, cpu } = await cpuDuring(served.pid, own.query, () =>
    wrk(served.origin, sendScript(served), { connections, seconds }),
  )
  const { perSecond: sends, p50Ms, p99Ms } = result
  return { sends, p50Ms, p99Ms, cpu: cpuOfEach(cpu, result.requests) }
}

interface Pace {
  readonly own: PacedResult
  readonly cpu: Cpu
  /** What PostgreSQL alone does at that pace, on this machine in this minute. */
  readonly bare: PacedResult
  /** CPU of each of its messages, in microseconds. */
  readonly bareUs: number
}

async function onePace({ bare, own, served, seconds }: Sides): Promise<Pace> {
  const { result, cpu } = await cpuDuring(served.one.pid, own.query, () =>
    pacedSends(served.one, { perSecond, seconds }),
  )
  const options = { clients: bareClients, perSecond, seconds }
  const { result: alone, us } = await postgresUsDuring(bare.query, () =>
    pacedPgbench(bare.url, bareScript, options),
  )
  return { own: result, cpu: cpuOfEach(cpu, result.sent), bare: alone, bareUs: us / alone.sent }
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

function report(
  rounds: readonly Round[],
  paces: readonly Pace[],
  { messages, parts }: Storage,
  broken: number,
): Report {
  const middle = (read: (round: Round) => number, digits = 0) =>
    rounded(median(rounds.map(read)), digits)
  const cpuOf = (load: 'one' | 'all'): Cpu => ({
    server: middle((round) => round[load].cpu.server),
    postgres: middle((round) => round[load].cpu.postgres),
    load: middle((round) => round[load].cpu.load),
  })
  const ratiosOf = (load: 'one' | 'all') =>
    rounds.map((round) => rounded(round[load].sends / round.bare.kept))
  const ratioOf = (load: 'one' | 'all') => rounded(median(ratiosOf(load)), 2)
  const rowOf = (load: 'one' | 'all') => ({
    'sends/s': middle((round) => round[load].sends),
    'p50 ms': middle((round) => round[load].p50Ms, 1),
    'p99 ms': middle((round) => round[load].p99Ms, 1),
    ...cpuColumns(cpuOf(load)),
    'against kept': ratioOf(load),
  })
  const bytesPerMessage = rounded(parts.reduce((sum, { bytes }) => sum + bytes, 0) / messages, 0)
  const middlePace = (read: (pace: Pace) => number) => rounded(median(paces.map(read)))
  const waitsOf = (side: 'own' | 'bare') => ({
    p50Ms: middlePace((pace) => pace[side].p50Ms),
    p99Ms: middlePace((pace) => pace[side].p99Ms),
  })
  const [pace, barePace] = [waitsOf('own'), waitsOf('bare')]
  const ratio = Math.max(ratioOf('one'), ratioOf('all'))
  const p99AgainstBare = middlePace(({ own, bare }) => own.p99Ms / bare.p99Ms)
  const pacedCpu = {
    server: middlePace(({ cpu }) => cpu.server),
    postgres: middlePace(({ cpu }) => cpu.postgres),
    load: middlePace(({ cpu }) => cpu.load),
  }
  const bareUs = middlePace((pace) => pace.bareUs)
  const cpu = { loaded: cpuOf('one'), paced: pacedCpu }
  const ofBoth = ({ server, postgres }: Cpu) => rounded(server + postgres, 0)
  const goals: Goal[] = [
    { what: 'sends against bare with its plan kept, the better', value: ratio, atLeast: 0.8 },
    { what: 'CPU of a send, one process, µs', value: ofBoth(cpu.loaded), atMost: 220 },
    { what: `p50 ms at ${perSecond} a second`, value: pace.p50Ms, atMost: 2.5 },
    { what: `p99 at ${perSecond} a second against that of bare`, value: p99AgainstBare, atMost: 3 },
    { what: `CPU of a send at ${perSecond} a second, µs`, value: ofBoth(cpu.paced), atMost: 600 },
    { what: 'bytes of a stored message', value: bytesPerMessage, atMost: 650 },
    { what: 'holes in seq or ids out of order', value: broken, atMost: 0 },
  ]
  const loads = [
    { Load: 'all it takes, one process', ...rowOf('one') },
    { Load: 'all it takes, all cores', ...rowOf('all') },
    {
      Load: 'paced, one process',
      'sends/s': perSecond,
      'p50 ms': rounded(pace.p50Ms, 1),
      'p99 ms': rounded(pace.p99Ms, 1),
      ...cpuColumns(pacedCpu),
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
      `Rounds against bare with its plan kept, one process: ${ratiosOf('one').join(', ')}; all cores: ` +
        `${ratiosOf('all').join(', ')}; wrk: ${connections} connections; bare: ${bareClients} clients.`,
      'Paced: waits count from the moment at which a message should have been sent. ' +
        `Bare at that pace: p50 ${barePace.p50Ms} ms, p99 ${barePace.p99Ms} ms, ${rounded(bareUs, 0)} µs of CPU a message. ` +
        `Rounds, p99 and that of bare: ${paces.map(waitsOfPace).join('; ')}.`,
    ],
    figures: {
      ratio,
      rounds: { one: ratiosOf('one'), all: ratiosOf('all') },
      paced: pace,
      barePaced: barePace,
      p99AgainstBare,
      cpuUsPerSend: cpu.loaded,
      cpuUsPerSendPaced: pacedCpu,
      bareUsPerMessagePaced: bareUs,
      bytesPerMessage,
    },
  }
}

function waitsOfPace({ own, bare }: Pace): string {
  return `${rounded(own.p99Ms, 1)} and ${rounded(bare.p99Ms, 1)} ms`
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
