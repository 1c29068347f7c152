import { availableParallelism } from 'node:os'
import { restClient } from '../packages/sdk/src/index.ts'
import type { Query } from '../packages/testing/src/data/many-users.ts'
import type { Bench, BenchContext, Served } from './harness/context.ts'
import { type Cpu, cpuDuring, cpuOfEach, ownUs } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { startEjabberd } from './harness/peer/ejabberd.ts'
import { type Devices, type Login, openPairs, type Pairs, type Sent } from './harness/peer/pairs.ts'
import type { Report } from './harness/report.ts'

const titles = { one: 'Chorale', all: 'Chorale, all cores', ejabberd: 'ejabberd' }
const pairCount = 64
const warmUpSeconds = 10

interface Side {
  readonly pid: number
  readonly query: Query
  readonly pairs: Pairs
  /** Messages in its archive. */
  archived(): Promise<number>
  delivered: number
}

/** Chorale with all parts in one process and with a process for each core, and ejabberd, which uses all cores. */
const names = ['one', 'all', 'ejabberd'] as const
type Name = (typeof names)[number]
type Own = Exclude<Name, 'ejabberd'>
type Sides = Readonly<Record<Name, Side>>
type Round = Readonly<Record<Name, Measured>>

interface Measured extends Sent {
  readonly perSecond: number
  /** Of a message. */
  readonly cpu: Cpu
}

export const bench: Bench = {
  name: 'peer',
  summary: `${pairCount} pairs of devices: archived and delivered, against ejabberd with its archive in PostgreSQL`,
  async run(ctx) {
    await using stack = new AsyncDisposableStack()
    const { rounds = 3, seconds = 10 } = ctx.options
    const peer = await openEjabberd(ctx, stack)
    const sides: Sides = {
      one: await openChorale(ctx, stack, 1),
      all: await openChorale(ctx, stack, availableParallelism()),
      ejabberd: peer.side,
    }
    ctx.say('warming up')
    for (const side of Object.values(sides)) {
      await measured(side, warmUpSeconds)
      await side.query('vacuum (analyze)')
    }
    const results: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      results.push(await oneRound(ctx, sides, round, seconds))
    }
    return report(results, await unequal(sides), peer.version)
  },
}

const uids = Array.from({ length: 2 * pairCount }, (_, n) => `user-${n + 1}`)

function paired(logins: readonly Login[]) {
  return logins.flatMap((sender, n) => {
    const receiver = logins[n + 1]
    return n % 2 === 0 && receiver ? [{ sender, receiver }] : []
  })
}

async function openChorale(
  ctx: BenchContext,
  stack: AsyncDisposableStack,
  processes: number,
): Promise<Side> {
  const { url, query } = await ctx.freshDatabase()
  // The sockets of this load say nothing once they are in.
  const settings = { GATEWAY_HEARTBEAT_MS: '3600000' }
  const served = await ctx.serve(url, 'api,gateway,worker', settings, processes)
  const { origin, appId } = served
  const logins = await createUsers(served)
  const pairs = await openPairs({ at: 'chorale', origin, appId, pairs: paired(logins) })
  return sideOf(served.pid, query, stack.use(pairs), () => rowsOf(query, 'entries'))
}

async function createUsers({ origin, appId, apiKey }: Served): Promise<Login[]> {
  const client = restClient({ baseUrl: `${origin}/v3`, appId, apiKey })
  return Promise.all(
    uids.map(async (uid) => {
      const { data } = await client.createUser({ body: { uid, name: uid, withAuthToken: true } })
      return { name: uid, secret: data.authToken ?? '' }
    }),
  )
}

async function openEjabberd(ctx: BenchContext, stack: AsyncDisposableStack) {
  const database = await ctx.freshDatabase()
  const { query } = database
  const logins = uids.map((name) => ({ name, secret: crypto.randomUUID() }))
  const ejabberd = stack.use(await startEjabberd(database, logins))
  const { host, port, domain, version } = ejabberd
  const devices: Devices = { at: 'ejabberd', host, port, domain, pairs: paired(logins) }
  const pairs = stack.use(await openPairs(devices))
  // Each message is in the archive of its sender and in that of its receiver.
  const archived = async () => (await rowsOf(query, 'archive')) / 2
  return { version, side: sideOf(ejabberd.pid, query, pairs, archived) }
}

function sideOf(pid: number, query: Query, pairs: Pairs, archived: Side['archived']): Side {
  return { pid, query, pairs, archived, delivered: 0 }
}

async function rowsOf(query: Query, table: string): Promise<number> {
  const rows = await query(`select count(*)::int as n from ${table}`)
  // One row with one number, as the statement says.
  const [{ n }] = rows as [{ n: number }]
  return n
}

async function oneRound(
  { say }: BenchContext,
  sides: Sides,
  round: number,
  seconds: number,
): Promise<Round> {
  const result = new Map<Name, Measured>()
  // Each is the first as often as the last.
  for (const name of round % 2 === 1 ? names : names.toReversed()) {
    result.set(name, await measured(sides[name], seconds))
  }
  const said = [...result].map(
    ([name, { perSecond, p99Ms }]) =>
      `${titles[name]} ${rounded(perSecond, 0)}/s, p99 ${rounded(p99Ms, 1)} ms`,
  )
  say(`round ${round}: ${said.join('; ')}`)
  // Each name has had its turn.
  return Object.fromEntries(result) as Round
}

async function measured(side: Side, seconds: number): Promise<Measured> {
  const { pid, query, pairs } = side
  const { result, cpu } = await cpuDuring(
    pid,
    query,
    () => pairs.send(seconds),
    () => ownUs(pairs.pid),
  )
  side.delivered += result.deliveries
  const perSecond = result.deliveries / result.seconds
  return { ...result, perSecond, cpu: cpuOfEach(cpu, result.deliveries) }
}

/** Messages that were delivered and are not in the archive, or the reverse. */
async function unequal(sides: Sides): Promise<number> {
  const differences = Object.values(sides).map(async (side) =>
    Math.abs(side.delivered - (await side.archived())),
  )
  return (await Promise.all(differences)).reduce((sum, one) => sum + one, 0)
}

function report(rounds: readonly Round[], notArchived: number, version: string): Report {
  const rateOf = (own: Own) => (round: Round) => round[own].perSecond / round.ejabberd.perSecond
  const p99Of = (own: Own) => (round: Round) => round[own].p99Ms / round.ejabberd.p99Ms
  const ratioOf = (read: (round: Round) => number) => rounded(median(rounds.map(read)))
  const best = ratioOf(rateOf('all')) > ratioOf(rateOf('one')) ? 'all' : 'one'
  const middle = (name: Name) => middleOf(rounds.map((round) => round[name]))
  const figures = {
    ratio: ratioOf(rateOf(best)),
    p99Ratio: ratioOf(p99Of(best)),
    one: middle('one'),
    all: middle('all'),
    ejabberd: middle('ejabberd'),
  }
  const each = (read: (round: Round) => number) =>
    rounds.map((round) => rounded(read(round))).join(', ')
  const ratiosOf = (own: Own) =>
    `${titles[own]}, rounds: rate ${each(rateOf(own))}; p99 ${each(p99Of(own))}.`
  return {
    tables: [
      {
        title: `${pairCount} pairs, one message on its way in each`,
        rows: names.map((name) => ({
          Server: name === 'ejabberd' ? `ejabberd ${version}` : titles[name],
          ...figures[name],
        })),
      },
    ],
    goals: [
      { what: `messages/s, ${titles[best]}, against ejabberd`, value: figures.ratio, atLeast: 3 },
      { what: 'its p99 against that of ejabberd', value: figures.p99Ratio, atMost: 0.5 },
      { what: 'messages delivered and not archived', value: notArchived, atMost: 0 },
    ],
    notes: [
      'Every message reached its receiver once, in order. CPU in µs a message; NATS is not in it.',
      ratiosOf('one'),
      ratiosOf('all'),
    ],
    figures,
  }
}

function middleOf(results: readonly Measured[]) {
  const middle = (read: (result: Measured) => number, digits: number) =>
    rounded(median(results.map(read)), digits)
  return {
    'messages/s': middle(({ perSecond }) => perSecond, 0),
    'p50 ms': middle(({ p50Ms }) => p50Ms, 1),
    'p99 ms': middle(({ p99Ms }) => p99Ms, 1),
    'CPU server': middle(({ cpu }) => cpu.server, 0),
    'CPU PostgreSQL': middle(({ cpu }) => cpu.postgres, 0),
    'CPU load': middle(({ cpu }) => cpu.load, 0),
  }
}
