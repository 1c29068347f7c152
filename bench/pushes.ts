import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { restClient } from '../packages/sdk/src/index.ts'
import type { Query } from '../packages/testing/src/data/many-users.ts'
import type { Bench, BenchContext } from './harness/context.ts'
import { type Cpu, cpuDuring, cpuOfEach } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { type Google, startGoogle } from './harness/google.ts'
import { residentMb } from './harness/memory.ts'
import { loadCrowd, loadPhones } from './harness/phones.ts'
import type { Report } from './harness/report.ts'

const warmUp = 2
/** So many of a crowd have been pushed when a neighbour says something. */
const begun = 500

/** Sends `text` into the group and says when it was asked for, and how many ms that took. */
type Say = (text: string) => Promise<{ readonly atMs: number; readonly tookMs: number }>

interface Fixture {
  readonly google: Google
  readonly query: Query
  readonly pid: number
  readonly say: Readonly<Record<'loud' | 'quiet' | 'neighbour', Say>>
  readonly crowd: number
  readonly neighbourPhone: string
}

interface Round {
  readonly loudMs: number
  readonly quietMs: number
  /** From the send to the last push. */
  readonly pushedMs: number
  /** The same for one push of another app in the midst of it. */
  readonly neighbourMs: number
  /** Of one push. */
  readonly cpu: Cpu
}

export const bench: Bench = {
  name: 'pushes',
  summary: 'one message to 10,000 who are away: pushes a second, memory, the send, a neighbour',
  async run(ctx) {
    const { rounds = 20, rows: members = 10_000 } = ctx.options
    await using stack = new AsyncDisposableStack()
    const fixture = await open(ctx, stack, members)
    const before = residentMb(fixture.pid).now
    const results: Round[] = []
    for (let round = 0; round < warmUp + rounds; round++) {
      const { result: times, cpu } = await cpuDuring(fixture.pid, fixture.query, () =>
        oneRound(fixture, round),
      )
      const result = { ...times, cpu: cpuOfEach(cpu, fixture.crowd) }
      if (round >= warmUp) results.push(result)
      const perSecond = rounded((fixture.crowd / result.pushedMs) * 1000, 0)
      ctx.say(`${perSecond} a second; a neighbour after ${rounded(result.neighbourMs, 0)} ms`)
    }
    const counts = await fixture.google.count()
    if (counts.some((count) => count !== warmUp + rounds))
      throw new Error('Not each was shown once.')
    return report(results, fixture.crowd, { before, peak: residentMb(fixture.pid).peak })
  },
}

async function open(
  ctx: BenchContext,
  stack: AsyncDisposableStack,
  members: number,
): Promise<Fixture> {
  const google = stack.use(await startGoogle())
  const folder = mkdtempSync(join(tmpdir(), 'chorale-pushes-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const authorities = join(folder, 'authorities.pem')
  writeFileSync(authorities, google.ca)
  const { url, query } = await ctx.freshDatabase()
  const { api, worker, apps } = await ctx.serveWorking(url, ['loud', 'quiet', 'neighbour'], {
    EGRESS_ALLOW: '127.0.0.0/8',
    EGRESS_CA_FILE: authorities,
    PUSH_FCM_ORIGIN: google.origin,
    PUSH_FCM_TOKEN_URI: google.tokenUri,
  })
  const clientOf = (name: keyof typeof apps) =>
    restClient({ baseUrl: `${api.origin}/v3`, ...apps[name] })
  const addPhones = async (name: keyof typeof apps, count: number) => {
    const { projectId, clientEmail, privateKey, privateKeyId } = google.account
    const serviceAccountCreds = {
      project_id: projectId,
      client_email: clientEmail,
      private_key: privateKey,
      private_key_id: privateKeyId,
    }
    await clientOf(name).createFcmProvider({ body: { providerId: 'google', serviceAccountCreds } })
    const tokens = await google.register(count - 1)
    await loadPhones(query, apps[name].appId, tokens)
    return tokens
  }
  ctx.say(`loading groups of ${members}`)
  await loadCrowd(query, apps.loud.appId, members)
  await loadCrowd(query, apps.quiet.appId, members)
  await loadCrowd(query, apps.neighbour.appId, 2)
  await addPhones('loud', members)
  const [neighbourPhone = ''] = await addPhones('neighbour', 2)
  const sayAs = (name: keyof typeof apps): Say => {
    const client = clientOf(name)
    return async (text) => {
      const to = { receiver: 'crowd-1', receiverType: 'group' } as const
      const said = { category: 'message', type: 'text', data: { text } } as const
      const atMs = Date.now()
      const start = performance.now()
      await client.sendMessage({ onBehalfOf: 'crowd-1', body: { ...to, ...said } })
      return { atMs, tookMs: performance.now() - start }
    }
  }
  const say = { loud: sayAs('loud'), quiet: sayAs('quiet'), neighbour: sayAs('neighbour') }
  return { google, query, pid: worker.pid, say, crowd: members - 1, neighbourPhone }
}

/** The two sends take turns at being the first, with nothing else under way. */
async function oneRound(fixture: Fixture, round: number): Promise<Omit<Round, 'cpu'>> {
  const { google, say, crowd, neighbourPhone } = fixture
  const text = `message ${round}`
  const first = round % 2 === 0 ? await say.quiet(text) : undefined
  const loud = await say.loud(text)
  const sent = (crowd + 1) * round
  await google.wait(sent + Math.min(begun, crowd))
  const neighbour = await say.neighbour(text)
  const neighbourAtMs = await google.wait(round + 1, neighbourPhone)
  const lastAtMs = await google.wait(sent + crowd + 1)
  const quiet = first ?? (await say.quiet(text))
  return {
    loudMs: loud.tookMs,
    quietMs: quiet.tookMs,
    pushedMs: lastAtMs - loud.atMs,
    neighbourMs: neighbourAtMs - neighbour.atMs,
  }
}

function report(
  rounds: readonly Round[],
  crowd: number,
  { before, peak }: { readonly before: number; readonly peak: number },
): Report {
  const middle = (read: (round: Round) => number) => median(rounds.map(read))
  const loudMs = middle((round) => round.loudMs)
  const quietMs = middle((round) => round.quietMs)
  const ratio = rounded(loudMs / quietMs)
  const pushesPerSecond = rounded((crowd / middle((round) => round.pushedMs)) * 1000, 0)
  const neighbourMs = rounded(
    middle((round) => round.neighbourMs),
    0,
  )
  const neighbourShare = rounded(middle((round) => round.neighbourMs / round.pushedMs))
  const cpuUs = {
    worker: rounded(
      middle(({ cpu }) => cpu.server),
      0,
    ),
    postgres: rounded(
      middle(({ cpu }) => cpu.postgres),
      0,
    ),
  }
  const memoryMb = { before: rounded(before, 0), peak: rounded(peak, 0) }
  return {
    tables: [
      {
        title: `One message to ${crowd} phones (median of ${rounds.length})`,
        rows: [
          { What: 'pushes/s', value: pushesPerSecond },
          { What: 'a push of another app meanwhile, ms', value: neighbourMs },
          { What: 'µs CPU of the worker for a push', value: cpuUs.worker },
          { What: 'µs CPU of PostgreSQL for a push', value: cpuUs.postgres },
          { What: 'MB of the worker before', value: memoryMb.before },
          { What: 'MB of the worker at most', value: memoryMb.peak },
          { What: 'the send, ms', value: rounded(loudMs, 1) },
          { What: 'a send in an app without push, ms', value: rounded(quietMs, 1) },
        ],
      },
    ],
    goals: [
      { what: 'a send with pushes against one without', value: ratio, atMost: 1.1 },
      { what: 'a push of another app against all of these', value: neighbourShare, atMost: 0.25 },
    ],
    notes: ['From the send to the last acceptance; each phone shows each message once.'],
    figures: {
      ratio,
      pushesPerSecond,
      neighbourMs,
      neighbourShare,
      cpuUs,
      memoryMb: memoryMb.peak,
      memoryBeforeMb: memoryMb.before,
    },
  }
}
