import type { Bench, BenchContext, Served } from './harness/context.ts'
import { loadConversations } from './harness/conversations.ts'
import { ownUs } from './harness/cpu.ts'
import { loadLargeGroup, loadTokens } from './harness/devices.ts'
import { median, rounded } from './harness/figures.ts'
import { type Memory, memoryOf, openToInspection } from './harness/memory.ts'
import type { Report } from './harness/report.ts'
import {
  type Flood,
  type Heard,
  type HeardPaced,
  nextMessage,
  type Sockets,
  startProgram,
  startSockets,
} from './harness/sockets.ts'

const sockets = 10_000
const inFlight = 32
const groups = [
  { guid: 'large', members: 1000, nth: 1 },
  { guid: 'huge', members: sockets, nth: 2 },
]
const paces = [250, 500, 1000]

/** One process with its sockets, and what they heard. */
interface Side {
  readonly pid: number
  readonly sockets: Sockets
}

interface Sides {
  readonly api: Served
  readonly gateway: Side
  readonly bare: Side & { readonly origin: string }
}

interface Round {
  readonly gateway: Measured
  readonly bare: Measured
}

interface Measured extends Heard {
  readonly perSecond: number
  /** Of the process that holds the sockets. */
  readonly cpuUs: number
}

interface Latency extends HeardPaced {
  readonly asked: number
}

export const bench: Bench = {
  name: 'fanout',
  summary:
    'a group of 1,000 and of 10,000 sockets against a bare ws loop; latency; memory of a socket',
  async run(ctx) {
    await using stack = new AsyncDisposableStack()
    const { rounds = 3, seconds = 5 } = ctx.options
    const { sides, bytesPerSocket } = await open(ctx, stack)
    const sizes: { members: number; rounds: Round[] }[] = []
    for (const { guid, members } of groups) {
      const results: Round[] = []
      for (let round = 0; round <= rounds; round++) {
        const result = await oneRound(sides, guid, members, round === 0 ? 2 : seconds)
        // The first warms both up.
        if (round > 0) results.push(result)
        const { gateway, bare } = result
        ctx.say(
          `${members} sockets: bare ${rounded(bare.perSecond, 0)}, gateway ${rounded(gateway.perSecond, 0)}`,
        )
      }
      sizes.push({ members, rounds: results })
    }
    const latencies: Latency[] = []
    for (const perSecond of paces) {
      ctx.say(`${perSecond} a second, two receivers each`)
      const { api, gateway } = sides
      const pace = { perSecond, seconds: 2 * seconds }
      const load = { sends: { to: 'pairs', target: targetOf(api) }, origin: api.origin } as const
      latencies.push({
        asked: perSecond,
        ...(await gateway.sockets.pace({ ...load, receivers: 2, pace })),
      })
    }
    return report(sizes, latencies, bytesPerSocket)
  },
}

async function open(ctx: BenchContext, stack: AsyncDisposableStack) {
  const database = await ctx.freshDatabase()
  // The sockets of this load say nothing once they are in.
  const quiet = { GATEWAY_HEARTBEAT_MS: '3600000', ...openToInspection }
  const { api, gateways } = await ctx.serveApart(database.url, 1, quiet)
  const [gateway] = gateways
  if (!gateway) throw new Error('One gateway was asked for.')
  await loadConversations(database.query, [api.appId])
  for (const group of groups) await loadLargeGroup(database.query, api.appId, group)
  const tokens = await loadTokens(database.query, ctx.vault, api.appId, sockets)
  const auths = tokens.map((authToken) => JSON.stringify({ type: 'auth', authToken }))
  const before = await memoryOf(gateway)
  const own = stack.use(startSockets())
  const { seconds } = await own.open(gateway.origin, api.appId, auths)
  ctx.say(`${sockets} devices let in within ${rounded(seconds, 1)} s`)
  const bytesPerSocket = perSocket(before, await memoryOf(gateway))
  const bare = await openBare(stack, auths)
  const sides: Sides = { api, gateway: { pid: gateway.pid, sockets: own }, bare }
  return { sides, bytesPerSocket }
}

async function openBare(stack: AsyncDisposableStack, auths: readonly string[]) {
  const server = stack.use(startProgram(new URL('./harness/bare-broadcast.ts', import.meta.url)))
  const origin = String(await nextMessage(server))
  const bare = stack.use(startSockets())
  await bare.open(origin, 'bare', auths)
  return { pid: server.pid ?? 0, sockets: bare, origin }
}

function perSocket(before: Memory, after: Memory): Memory {
  return {
    inUse: (after.inUse - before.inUse) / sockets,
    resident: (after.resident - before.resident) / sockets,
  }
}

function targetOf({ origin, appId, apiKey }: Served) {
  return { origin, appId, apiKey }
}

async function oneRound(
  { api, gateway, bare }: Sides,
  guid: string,
  members: number,
  seconds: number,
): Promise<Round> {
  const load = { receivers: members, inFlight, seconds }
  const own = await measured(gateway, {
    ...load,
    origin: api.origin,
    sends: { to: 'group', target: targetOf(api), guid },
  })
  const other = await measured(bare, {
    ...load,
    origin: bare.origin,
    sends: { to: 'bare', first: members, bytes: own.messageBytes },
  })
  return { gateway: own, bare: other }
}

async function measured({ pid, sockets: own }: Side, flood: Flood): Promise<Measured> {
  const before = ownUs(pid)
  const heard = await own.flood(flood)
  const cpuUs = (ownUs(pid) - before) / heard.deliveries
  return { ...heard, cpuUs, perSecond: heard.deliveries / heard.seconds }
}

function report(
  sizes: readonly { members: number; rounds: readonly Round[] }[],
  latencies: readonly Latency[],
  memory: Memory,
): Report {
  const fanouts = sizes.map(({ members, rounds }) => {
    const middle = (read: (round: Round) => number, digits = 2) =>
      rounded(median(rounds.map(read)), digits)
    const side = (which: keyof Round) => ({
      'deliveries/s': middle((round) => round[which].perSecond, 0),
      'p50 ms': middle((round) => round[which].p50Ms, 0),
      'p99 ms': middle((round) => round[which].p99Ms, 0),
      'µs CPU each': middle((round) => round[which].cpuUs),
      'bytes each': middle((round) => round[which].messageBytes, 0),
    })
    return {
      members,
      ratio: middle(({ gateway, bare }) => gateway.perSecond / bare.perSecond),
      cpuRatio: middle(({ gateway, bare }) => bare.cpuUs / gateway.cpuUs),
      rounds: rounds.map(({ gateway, bare }) => rounded(gateway.perSecond / bare.perSecond)),
      rows: [
        { Group: `${members}, bare ws`, ...side('bare') },
        { Group: `${members}, gateway`, ...side('gateway') },
      ],
    }
  })
  const kbPerSocket = rounded(memory.inUse / 1024, 1)
  const last = latencies.at(-1)
  return {
    tables: [
      { title: 'To all of a group', rows: fanouts.flatMap(({ rows }) => rows) },
      {
        title: 'From send to receipt, two receivers each',
        rows: latencies.map(({ asked, deliveries, seconds, p50Ms, p99Ms }) => ({
          'sends/s': asked,
          kept: rounded(deliveries / 2 / seconds, 0),
          'p50 ms': rounded(p50Ms, 1),
          'p99 ms': rounded(p99Ms, 1),
        })),
      },
      {
        title: `KB of an idle socket, at ${sockets}`,
        rows: [
          {
            What: 'each',
            'heap and buffers': kbPerSocket,
            'resident memory': rounded(memory.resident / 1024, 1),
          },
        ],
      },
    ],
    goals: [
      ...fanouts.map(({ members, ratio }) => ({
        what: `${members} sockets against bare ws`,
        value: ratio,
        atLeast: 3,
      })),
      { what: 'KB of an idle socket', value: kbPerSocket, atMost: 15 },
      {
        what: `p99 ms at ${last?.asked} sends a second`,
        value: rounded(last?.p99Ms ?? Number.NaN, 1),
        atMost: 50,
      },
    ],
    notes: [
      `${inFlight} messages on their way at a time, on both sides; every one reached every socket, once.`,
      `Rounds: ${fanouts.map(({ members, rounds }) => `${members}: ${rounds.join(', ')}`).join('; ')}.`,
    ],
    figures: {
      ratio: Math.min(...fanouts.map(({ ratio }) => ratio)),
      ratios: Object.fromEntries(fanouts.map(({ members, ratio }) => [members, ratio])),
      cpuRatios: Object.fromEntries(fanouts.map(({ members, cpuRatio }) => [members, cpuRatio])),
      kbPerSocket,
      latencies: latencies.map(({ asked, p50Ms, p99Ms }) => ({
        perSecond: asked,
        p50Ms: rounded(p50Ms, 1),
        p99Ms: rounded(p99Ms, 1),
      })),
    },
  }
}
