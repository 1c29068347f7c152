import { setTimeout as after } from 'node:timers/promises'
import { restClient } from '../packages/sdk/src/index.ts'
import { seeded } from '../packages/testing/src/seeded.ts'
import type { Bench, BenchContext, Served } from './harness/context.ts'
import { fillEntries, loadConversations } from './harness/conversations.ts'
import { type Cpu, cpuDuring, cpuOfEach } from './harness/cpu.ts'
import { median, rounded } from './harness/figures.ts'
import { distinctWords, makeText } from './harness/moderated.ts'
import { type PacedResult, pacedSends } from './harness/paced.ts'

const million = 1_000_000
const perSecond = 200
const wordCount = 500
const bytes = 300
const pattern = String.raw`\b\d{3}[-. ]?\d{3}[-. ]?\d{4}\b`
const hour = 3600

interface Run {
  readonly seconds: number
  readonly scanned: number
  readonly caught: number
  /** How often its progress was seen to move. */
  readonly moves: number
}

interface Round {
  readonly alone: PacedResult
  readonly beside: PacedResult
  readonly run: Run
}

export const bench: Bench = {
  name: 'dry-run',
  summary: `a rule with ${wordCount} words and a pattern over a million messages, while others send`,
  async run(ctx) {
    const { rows = million, rounds = 3, seconds = 10 } = ctx.options
    const random = seeded('dry run')
    const words = distinctWords(random, wordCount)
    const texts = Array.from({ length: 1000 }, () => makeText(random, words, bytes))
    const database = await ctx.freshDatabase()
    // All in one process, as a small install has it.
    const served = await ctx.serve(database.url, 'api,worker')
    ctx.say(`loading ${rows} messages`)
    await loadConversations(database.query, [served.appId])
    const from = Math.floor(Date.now() / 1000) - hour
    await fillEntries(database.url, [served.appId], rows, { from, texts })
    const pace = { perSecond, seconds }
    ctx.say('warming up')
    await pacedSends(served, pace)
    const results: Round[] = []
    for (let round = 1; round <= rounds; round++) {
      const alone = await pacedSends(served, pace)
      const [beside, run] = await Promise.all([pacedSends(served, pace), dryRun(served, words)])
      results.push({ alone, beside, run })
      saySo(ctx, round, { alone, beside, run })
    }
    ctx.say('once more, by itself')
    const { result, cpu } = await cpuDuring(served.pid, database.query, () => dryRun(served, words))
    return report(results, result, cpuOfEach(cpu, result.scanned))
  },
}

async function dryRun({ origin, appId, apiKey }: Served, words: readonly string[]): Promise<Run> {
  const client = restClient({ baseUrl: `${origin}/v3`, appId, apiKey })
  const conditions = [{ value: words }, { category: 'pattern' as const, value: pattern }]
  const start = performance.now()
  const { data } = await client.dryRunDraft({ body: { draft: { conditions } } })
  const seen = new Set<number>()
  for (;;) {
    const { data: run } = await client.getDryRun({
      params: { dryRunId: data.id },
      query: { limit: 1 },
    })
    const { scanned } = run.progress
    seen.add(scanned)
    if (run.status === 'done') {
      const seconds = (performance.now() - start) / 1000
      return { seconds, scanned, caught: run.counts.caught, moves: seen.size }
    }
    if (run.status !== 'waiting' && run.status !== 'running') throw new Error(run.status)
    await after(200)
  }
}

function saySo({ say }: BenchContext, round: number, { alone, beside, run }: Round): void {
  const p99 = `${rounded(alone.p99Ms, 1)} ms alone, ${rounded(beside.p99Ms, 1)} ms beside it`
  say(`round ${round}: ${run.scanned} in ${rounded(run.seconds, 1)} s; p99 of sends ${p99}`)
}

function report(rounds: readonly Round[], alone: Run, cpu: Cpu) {
  const middle = (read: (round: Round) => number, digits = 1) =>
    rounded(median(rounds.map(read)), digits)
  const messagesPerSecond = middle(({ run }) => run.scanned / run.seconds, 0)
  const ratio = middle(({ alone, beside }) => beside.p99Ms / alone.p99Ms, 2)
  return {
    tables: [
      {
        title: `Sends, ${perSecond} a second, median of the rounds`,
        rows: (['alone', 'beside'] as const).map((way) => ({
          Way: way === 'alone' ? 'without a dry run' : 'beside one',
          'p50 ms': middle((round) => round[way].p50Ms),
          'p99 ms': middle((round) => round[way].p99Ms),
        })),
      },
      {
        title: 'Dry runs',
        rows: [
          ...rounds.map(({ run }, place) => shownRun(`round ${place + 1}`, run)),
          shownRun('by itself', alone),
        ],
      },
      {
        title: 'CPU in µs a message, of the one by itself',
        rows: [{ Of: 'all', server: rounded(cpu.server, 1), PostgreSQL: rounded(cpu.postgres, 1) }],
      },
    ],
    goals: [
      {
        what: 'seconds for a million messages',
        value: rounded(million / messagesPerSecond, 1),
        atMost: 60,
      },
      { what: 'p99 of sends beside it / without', value: ratio, atMost: 2 },
    ],
    notes: [
      `One process for api and worker. Sends start with the run, and end before it or with it: ${rounds.length} rounds, in turns.`,
    ],
    figures: { ratio, messagesPerSecond, cpuUs: cpu },
  }
}

function shownRun(name: string, { scanned, caught, seconds, moves }: Run) {
  return {
    Run: name,
    messages: scanned,
    caught,
    seconds: rounded(seconds, 1),
    'messages/s': rounded(scanned / seconds, 0),
    'progress seen': moves,
  }
}
