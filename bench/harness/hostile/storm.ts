import { setTimeout as sleep } from 'node:timers/promises'
import { restClient } from '../../../packages/sdk/src/index.ts'
import { loadGroups, settleEntries } from '../../../packages/testing/src/data/many-entries.ts'
import type { BenchContext } from '../context.ts'
import { loadConversations } from '../conversations.ts'
import { rounded } from '../figures.ts'
import { memoryOf, openToInspection, residentMb } from '../memory.ts'
import { type PacedResult, pacedSends } from '../paced.ts'
import type { Goal, Report } from '../report.ts'
import type { Target } from '../sends.ts'
import type { Serving } from '../serving.ts'
import { nextMessage, startProgram } from '../sockets.ts'
import type { Attack, Tally } from './orders.ts'

const sendsPerSecond = 50
const sampleMs = 2000
const members = 60
const groupEntries = 30_000
const shortestPace = 3

export interface Storm {
  readonly title: string
  /** How many times its quiet p99 a neighbour's send may take. */
  readonly atMost: number
  attack(hostile: Hostile): Attack
}

/** An app of the attacker's, beside the one that is measured. */
interface Hostile {
  readonly appId: string
  readonly apiKey: string
  readonly guid: string
  readonly passwordGroup: string
  readonly uids: readonly string[]
  readonly tokens: readonly string[]
}

/** One process with all parts, and the two apps. */
interface Install {
  readonly serving: Serving
  readonly hostile: Hostile
  /** The app that is measured sends for so long, and one elsewhere. */
  pace(seconds: number): Promise<Paced>
  /** Lines of the log that say of an error. */
  errors(): readonly string[]
}

async function openInstall(
  ctx: BenchContext,
  entries: number,
  openOther: () => Promise<Target | undefined>,
): Promise<Install> {
  const database = await ctx.freshDatabase()
  const { serving, apps } = await ctx.serveTogether(
    database.url,
    ['good', 'hostile'],
    ['hostile'],
    openToInspection,
  )
  await loadConversations(database.query, [apps.good.appId])
  const hostile = await openHostile(serving.origin, apps.hostile, database.query, entries)
  const good = { origin: serving.origin, ...apps.good }
  const elsewhere = await openOther()
  return {
    serving,
    hostile,
    async pace(seconds) {
      const at = { perSecond: sendsPerSecond, seconds }
      const [here, there] = await Promise.all([
        pacedSends(good, at),
        elsewhere && pacedSends(elsewhere, at),
      ])
      return { here, there }
    },
    errors() {
      const loud = serving
        .log()
        .split('\n')
        .filter((line) => /"level":(?:50|60)/.test(line))
      for (const line of loud.slice(0, 5)) ctx.say(line.slice(0, 300))
      return loud
    },
  }
}

/** The attackers for so long, and sends beside them. */
async function attack({ serving, hostile, pace }: Install, storm: Storm, seconds: number) {
  await using attackers = startProgram(new URL('./process.ts', import.meta.url))
  const before = residentMb(serving.pid).now
  attackers.send({ origin: serving.origin, seconds, attack: storm.attack(hostile) })
  const ended = nextMessage(attackers)
  const memory = watchMemory(serving.pid)
  const [stormy, inUse] = await Promise.all([
    pace(Math.max(shortestPace, Math.round(seconds - 4))),
    // A shorter bench tells nothing of memory.
    seconds < comparedSeconds ? undefined : inUseUnderAttack(serving, seconds),
  ])
  // What the program sends.
  const tally = (await ended) as Tally
  return { before, stormy, tally, slope: memory.slopeMbPerMinute(), inUse }
}

/** MB that are left behind a collection, of two: V8 lets a heap grow before it looks for garbage. */
async function inUseUnderAttack(serving: Serving, seconds: number): Promise<InUse> {
  const [first, last] = [seconds / 3, seconds - 10]
  await sleep(first * 1000)
  const early = (await memoryOf(serving)).inUse / 2 ** 20
  await sleep((last - first) * 1000)
  const late = (await memoryOf(serving)).inUse / 2 ** 20
  return { early, late, perMinute: ((late - early) * 60) / (last - first) }
}

interface InUse {
  readonly early: number
  readonly late: number
  readonly perMinute: number
}

/** A shorter bench has no process to compare with. */
const comparedSeconds = 60

/**
 * An app sends at a modest pace, first in quiet, then while somebody attacks: its p99 is held
 * against its own, and the memory of the process is watched. Beside it, an app of another process
 * sends at the same pace: what it notices of the attack is the machine.
 */
export async function underAttack(ctx: BenchContext, storm: Storm): Promise<Report> {
  const { seconds = 300 } = ctx.options
  const install = await openInstall(ctx, groupEntries, async () =>
    seconds < comparedSeconds ? undefined : openElsewhere(ctx),
  )
  const pace = (length: number) => install.pace(Math.min(length, seconds))
  ctx.say('warming up')
  await pace(20)
  ctx.say(`quiet for ${Math.min(60, seconds)} s`)
  const quiet = await pace(60)
  ctx.say(`${storm.title} for ${seconds} s`)
  const attacked = await attack(install, storm, seconds)
  const after = await pace(20)
  const { peak } = residentMb(install.serving.pid)
  return report(storm, { ...attacked, quiet, after, peak, errors: install.errors().length })
}

/** One storm after the other on one install: tells what is refused, and no figures of speed or memory. */
export async function underAttacks(ctx: BenchContext, storms: readonly Storm[]): Promise<Report> {
  const { seconds = 5, rows = groupEntries } = ctx.options
  const install = await openInstall(ctx, rows, async () => undefined)
  const goals: Goal[] = []
  for (const storm of storms) {
    ctx.say(`${storm.title} for ${seconds} s`)
    const { tally } = await attack(install, storm, seconds)
    const tried = Object.values(tally).reduce((sum, times) => sum + times, 0)
    goals.push({ what: `answers to ${storm.title}`, value: tried, atLeast: 1 })
  }
  goals.push({ what: 'error lines in the log', value: install.errors().length, atMost: 0 })
  return { tables: [], goals, notes: [] }
}

async function openElsewhere(ctx: BenchContext): Promise<Target> {
  const database = await ctx.freshDatabase()
  const { serving, apps } = await ctx.serveTogether(database.url, ['good'], [])
  await loadConversations(database.query, [apps.good.appId])
  return { origin: serving.origin, ...apps.good }
}

async function openHostile(
  origin: string,
  app: { readonly appId: string; readonly apiKey: string },
  query: Parameters<typeof loadGroups>[0],
  entries: number,
): Promise<Hostile> {
  const client = restClient({ baseUrl: `${origin}/v3`, ...app })
  const uids = Array.from({ length: members }, (_, n) => `h-${n + 1}`)
  const tokens: string[] = []
  for (const uid of uids) {
    await client.createUser({ body: { uid, name: uid } })
    tokens.push((await client.createAuthToken({ params: { uid }, body: {} })).data.authToken)
  }
  const passwordGroup = 'locked'
  await client.createGroup({
    onBehalfOf: uids[1] ?? '',
    body: { guid: passwordGroup, name: 'Locked', type: 'password', password: 'correct horse' },
  })
  await loadGroups(query, app.appId, { prefix: 'h', groups: 1, members, entries })
  await settleEntries(query)
  return { ...app, guid: 'h-1', passwordGroup, uids, tokens }
}

function watchMemory(pid: number) {
  const samples: { readonly minutes: number; readonly mb: number }[] = []
  const start = performance.now()
  const timer = setInterval(() => {
    samples.push({ minutes: (performance.now() - start) / 60_000, mb: residentMb(pid).now })
  }, sampleMs)
  return {
    /** Of the last two thirds: whoever is attacked first fills the buffers that it needs. */
    slopeMbPerMinute(): number {
      clearInterval(timer)
      const late = samples.slice(Math.floor(samples.length / 3))
      const mean = (values: readonly number[]) =>
        values.reduce((sum, value) => sum + value, 0) / values.length
      const x = mean(late.map(({ minutes }) => minutes))
      const y = mean(late.map(({ mb }) => mb))
      const over = late.reduce((sum, { minutes, mb }) => sum + (minutes - x) * (mb - y), 0)
      return over / late.reduce((sum, { minutes }) => sum + (minutes - x) ** 2, 0)
    },
  }
}

interface Paced {
  readonly here: PacedResult
  readonly there: PacedResult | undefined
}

interface Result {
  readonly quiet: Paced
  readonly stormy: Paced
  readonly after: Paced
  readonly tally: Tally
  readonly slope: number
  readonly inUse: InUse | undefined
  readonly before: number
  readonly peak: number
  readonly errors: number
}

function report(storm: Storm, result: Result): Report {
  const { quiet, stormy, after, inUse } = result
  const row = (What: string, { here, there }: Paced) => ({
    What,
    sent: here.sent,
    'p50 ms': rounded(here.p50Ms, 1),
    'p99 ms': rounded(here.p99Ms, 1),
    ...(there && {
      'elsewhere p50 ms': rounded(there.p50Ms, 1),
      'elsewhere p99 ms': rounded(there.p99Ms, 1),
    }),
  })
  const ratio = rounded(stormy.here.p99Ms / quiet.here.p99Ms)
  const slope = inUse && rounded(inUse.perMinute, 1)
  return {
    tables: [
      {
        title: `Sends of a neighbour, ${sendsPerSecond} a second: ${storm.title}`,
        rows: [row('quiet', quiet), row('under attack', stormy), row('afterwards', after)],
      },
      {
        title: 'What the attackers tried, and how it was answered',
        rows: Object.entries(result.tally)
          .toSorted(([one], [two]) => one.localeCompare(two))
          .map(([What, times]) => ({ What, times })),
      },
      {
        title: 'Memory of the process, MB',
        rows: [
          { What: 'before', MB: rounded(result.before, 0) },
          { What: 'at most', MB: rounded(result.peak, 0) },
          { What: 'slope a minute', MB: rounded(result.slope, 1) },
          ...(inUse && slope !== undefined
            ? [
                { What: 'in use after a third, behind a collection', MB: rounded(inUse.early, 1) },
                { What: 'in use at the end, behind a collection', MB: rounded(inUse.late, 1) },
                { What: 'slope of what is in use', MB: slope },
              ]
            : []),
        ],
      },
    ],
    goals: [
      { what: 'p99 under attack against quiet', value: ratio, atMost: storm.atMost },
      ...(slope === undefined
        ? []
        : [{ what: 'MB a minute that memory in use grows by', value: slope, atMost: 5 }]),
      { what: 'error lines in the log', value: result.errors, atMost: 0 },
    ],
    notes: [
      'The attackers run at the lowest priority: they stand for other machines.',
      'A send that is refused, or a process that ends, fails the bench.',
      'Elsewhere: an app of another process, with a database of its own on the same server.',
    ],
    figures: {
      ratio,
      slopeMbPerMinute: slope,
      quietP99Ms: quiet.here.p99Ms,
      p99Ms: stormy.here.p99Ms,
      ...(stormy.there && { elsewhereP99Ms: stormy.there.p99Ms }),
    },
  }
}
