import type { Query } from '../packages/testing/src/data/many-users.ts'
import type { Bench, BenchContext } from './harness/context.ts'
import { loadConversations } from './harness/conversations.ts'
import { cpuDuring, ownUs } from './harness/cpu.ts'
import { loadTokens } from './harness/devices.ts'
import { median, rounded } from './harness/figures.ts'
import type { Report } from './harness/report.ts'
import type { Target } from './harness/sends.ts'
import { type HeardPaced, type Sockets, startSockets } from './harness/sockets.ts'

/** Conversations of two; each user has a device, and so do both sides of each. */
const conversations = 256
const devices = conversations + 1
const receivers = 2
const paces = [250, 500, 1000]
const [goalMs, goalP99Ms] = [8, 40]
/** The devices of this load say nothing once they are in. */
const quiet = { GATEWAY_HEARTBEAT_MS: '3600000' }

/** A running install with its devices. */
interface Install {
  readonly name: string
  readonly api: Target & { readonly pid: number }
  /** In a process of its own, or in that of the API. */
  readonly gateway: { readonly origin: string; readonly pid: number }
  readonly query: Query
}

interface Measured extends HeardPaced {
  readonly install: string
  readonly asked: number
  /** Microseconds of a send. */
  readonly serviceUs: number
  readonly postgresUs: number
}

export const bench: Bench = {
  name: 'delivery',
  summary: 'from send to receipt, two receivers each, at 250, 500 and 1,000 sends a second',
  async run(ctx) {
    await using stack = new AsyncDisposableStack()
    const { rounds = 3, seconds = 5 } = ctx.options
    const sides: { install: Install; sockets: Sockets }[] = []
    for (const install of [await together(ctx), await apart(ctx)]) {
      const sockets = stack.use(startSockets())
      const { origin, appId } = { ...install.gateway, appId: install.api.appId }
      await loadConversations(install.query, [appId])
      const tokens = await loadTokens(install.query, ctx.vault, appId, devices)
      const auths = tokens.map((authToken) => JSON.stringify({ type: 'auth', authToken }))
      await sockets.open(origin, appId, auths)
      sides.push({ install, sockets })
    }
    const results: Measured[] = []
    for (let round = 1; round <= rounds; round++) {
      for (const asked of paces) {
        for (const { install, sockets } of sides) {
          const one = await measured(install, sockets, { perSecond: asked, seconds })
          const [p50, p99] = [rounded(one.p50Ms, 1), rounded(one.p99Ms, 1)]
          ctx.say(`round ${round}: ${install.name}, ${asked}/s: p50 ${p50} ms, p99 ${p99} ms`)
          results.push(one)
        }
      }
    }
    return report(results)
  },
}

async function together(ctx: BenchContext): Promise<Install> {
  const { url, query } = await ctx.freshDatabase()
  const { serving, apps } = await ctx.serveTogether(url, ['bench'], [], quiet)
  return {
    name: 'all parts in one process',
    api: { ...serving, ...apps.bench },
    gateway: serving,
    query,
  }
}

async function apart(ctx: BenchContext): Promise<Install> {
  const { url, query } = await ctx.freshDatabase()
  const { api, gateways } = await ctx.serveApart(url, 1, quiet)
  const [gateway] = gateways
  if (!gateway) throw new Error('One gateway was asked for.')
  return { name: 'API and gateway', api, gateway, query }
}

async function measured(
  { name, api, gateway, query }: Install,
  sockets: Sockets,
  pace: { readonly perSecond: number; readonly seconds: number },
): Promise<Measured> {
  const { origin, appId, apiKey } = api
  const target = { origin, appId, apiKey }
  const before = ownUs(gateway.pid)
  const { result, cpu } = await cpuDuring(api.pid, query, () =>
    sockets.pace({
      sends: { to: 'pairs', target, among: conversations },
      origin,
      receivers,
      pace,
    }),
  )
  const gatewayUs = gateway.pid === api.pid ? 0 : ownUs(gateway.pid) - before
  const sends = result.deliveries / receivers
  return {
    ...result,
    install: name,
    asked: pace.perSecond,
    serviceUs: (cpu.server + gatewayUs) / sends,
    postgresUs: cpu.postgres / sends,
  }
}

function report(results: readonly Measured[]): Report {
  const installs = [...new Set(results.map(({ install }) => install))]
  const rows = installs.flatMap((install) =>
    paces.map((asked) => {
      const of = results.filter((one) => one.install === install && one.asked === asked)
      const middle = (read: (one: Measured) => number, digits = 1) =>
        rounded(median(of.map(read)), digits)
      return {
        install,
        asked,
        kept: middle(({ deliveries, seconds }) => deliveries / receivers / seconds, 0),
        p50Ms: middle((one) => one.p50Ms),
        p99Ms: middle((one) => one.p99Ms),
        answerP50Ms: middle(({ answers }) => answers.p50Ms),
        answerP99Ms: middle(({ answers }) => answers.p99Ms),
        behindP50Ms: middle(({ behind }) => behind.p50Ms),
        behindP99Ms: middle(({ behind }) => behind.p99Ms),
        serviceUs: middle(({ serviceUs }) => serviceUs, 0),
        postgresUs: middle(({ postgresUs }) => postgresUs, 0),
      }
    }),
  )
  const last = rows.filter(({ asked }) => asked === paces.at(-1))
  return {
    tables: [
      {
        title: 'From send to receipt, two receivers each; ms, and µs of CPU a send',
        rows: rows.map((row) => ({
          Install: row.install,
          'sends/s': row.asked,
          kept: row.kept,
          p50: row.p50Ms,
          p99: row.p99Ms,
          'until the answer': row.answerP50Ms,
          'its p99': row.answerP99Ms,
          'answer to frame': row.behindP50Ms,
          'its p99 ': row.behindP99Ms,
          service: row.serviceUs,
          PostgreSQL: row.postgresUs,
        })),
      },
    ],
    goals: last.flatMap(({ install, asked, p50Ms, p99Ms }) => [
      { what: `p50 ms at ${asked}/s, ${install}`, value: p50Ms, atMost: goalMs },
      { what: `p99 ms at ${asked}/s, ${install}`, value: p99Ms, atMost: goalP99Ms },
    ]),
    notes: [
      'Waits count from the moment at which a message should have been sent; medians of the rounds.',
      `${conversations} conversations, ${devices} devices; every message reached both sides, once.`,
    ],
    figures: { rows },
  }
}
